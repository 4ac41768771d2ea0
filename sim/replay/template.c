#include "sim/replay/template.h"

#include "base/json.h"
#include "sim/fatal.h"

bool replay_expand(const struct base_map *vars, struct base_str text, struct base_buf *out,
		   struct base_str *missing)
{
	while (text.len > 0) {
		const size_t at = base_str_find(text, BASE_STR("${"));
		struct base_str inner, name;
		const char *value;
		size_t len = 0;
		int64_t number, change = 0;

		sim_must(base_buf_str(out, base_str_take(text, at == SIZE_MAX ? text.len : at)));
		if (at == SIZE_MAX)
			return true;
		text = base_str_skip(text, at);
		inner = base_str_skip(text, 2);
		inner.len = base_str_find_char(inner, '}') == SIZE_MAX
				    ? 0
				    : base_str_find_char(inner, '}');
		while (len < inner.len && inner.ptr[len] != '+' && inner.ptr[len] != '-')
			len++;
		name = base_str_take(inner, len);
		if (name.len == 0 ||
		    (len < inner.len && !base_str_i64(base_str_skip(inner, len + 1), &change))) {
			sim_must(base_buf_str(out, base_str_take(text, 2)));
			text = base_str_skip(text, 2);
			continue;
		}
		value = base_map_get(vars, name);
		if (value == NULL) {
			*missing = name;
			return false;
		}
		if (len < inner.len && base_str_i64(base_str(value), &number))
			sim_must(base_buf_i64(out, inner.ptr[len] == '-' ? number - change
									 : number + change));
		else
			sim_must(base_buf_text(out, value));
		text = base_str_skip(text, inner.len + 3);
	}
	return true;
}

struct base_str replay_dig(struct base_str value, struct base_str path)
{
	while (path.len > 0 && value.len > 0) {
		size_t len = 0;
		uint64_t index;

		if (path.ptr[0] == '.') {
			path = base_str_skip(path, 1);
			continue;
		}
		if (path.ptr[0] == '[') {
			const size_t end = base_str_find_char(path, ']');
			struct base_json_iter it;
			struct base_str found = {0};

			if (end == SIZE_MAX ||
			    !base_str_u64(base_str_n(path.ptr + 1, end - 1), &index))
				return (struct base_str){0};
			base_json_iter_init(&it, value);
			for (uint64_t k = 0; base_json_iter_next(&it); k++)
				if (k == index)
					found = it.value;
			value = found;
			path = base_str_skip(path, end + 1);
			continue;
		}
		while (len < path.len && path.ptr[len] != '.' && path.ptr[len] != '[')
			len++;
		value = base_json_get(value, base_str_take(path, len));
		path = base_str_skip(path, len);
	}
	return value;
}
