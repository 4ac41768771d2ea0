/* Bodies: JSON and YAML as structures, JSON lines one by one, gzip unpacked, the rest as text. */
#include "base/json.h"
#include "fakeapi/form.h"
#include "sim/fatal.h"
#include "sim/replay/map.h"

#define ABSENT BASE_STR("(absent)")

static bool is_gzip(const struct replay_answer *answer)
{
	const struct replay_header *coding =
		replay_header_find(&answer->headers, "Content-Encoding");

	return coding != NULL && base_str_is(coding->value, "gzip");
}

bool replay_is_lines(struct base_str text)
{
	struct base_str line, value;
	size_t count = 0;
	bool found;

	while (text.len > 0) {
		text = base_str_cut(text, '\n', &line, &found);
		if (base_json_check(line, &value, NULL, NULL) != BASE_OK ||
		    base_json_get(value, BASE_STR("type")).len == 0 ||
		    base_json_get(value, BASE_STR("object")).len == 0)
			return false;
		count++;
	}
	return count > 0;
}

/* What stands round a JSON value (a newline at the end), and whether it is indented. */
static bool same_form(struct base_str a, struct base_str value_a, struct base_str b,
		      struct base_str value_b)
{
	const size_t before_a = (size_t)(value_a.ptr - a.ptr);
	const size_t before_b = (size_t)(value_b.ptr - b.ptr);
	const bool lines_a = base_str_find_char(value_a, '\n') != SIZE_MAX;
	const bool lines_b = base_str_find_char(value_b, '\n') != SIZE_MAX;

	return before_a == before_b && lines_a == lines_b &&
	       base_str_eq(base_str_skip(a, before_a + value_a.len),
			   base_str_skip(b, before_b + value_b.len));
}

static bool is_yaml(const struct replay_answer *answer)
{
	const struct replay_header *type = replay_header_find(&answer->headers, "Content-Type");

	return type != NULL && base_str_starts(type->value, BASE_STR("application/yaml"));
}

/* What a line of YAML is but for its value: indentation, dashes, key, and the quote before the value. A key that holds
 * JSON (a path of managedFields) may name an uid: the structures tell about it. */
static struct base_str frame_of(struct base_str line)
{
	size_t at = base_str_find(line, BASE_STR(": "));
	const size_t json = base_str_find(line, BASE_STR("{\""));

	if (json < at)
		return base_str_take(line, json);
	if (at == SIZE_MAX) {
		at = 0;
		while (at < line.len && (line.ptr[at] == ' ' || line.ptr[at] == '-'))
			at++;
		return line.len > 0 && line.ptr[line.len - 1] == ':' ? line
								     : base_str_take(line, at);
	}
	at += 2;
	if (at < line.len && (line.ptr[at] == '"' || line.ptr[at] == '\''))
		at++;
	return base_str_take(line, at);
}

/* The same keys in the same order and form; what their values say is compared as a structure. */
static bool same_layout(struct base_str a, struct base_str b)
{
	struct base_str line_a, line_b;
	bool more_a = true, more_b = true;

	while (more_a && more_b) {
		a = base_str_cut(a, '\n', &line_a, &more_a);
		b = base_str_cut(b, '\n', &line_b, &more_b);
		if (!base_str_eq(frame_of(line_a), frame_of(line_b)))
			return false;
	}
	return more_a == more_b;
}

/* False: they are not both YAML. */
static bool compare_yaml(struct replay_place *place, struct base_str a, struct base_str b)
{
	struct base_buf left, right, twice, why;
	bool fine;

	base_buf_init(&left, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&right, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&twice, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&why, NULL, BASE_BUF_MAX_DEFAULT);
	fine = fakeapi_yaml_read(a, &left, &twice, &why) == BASE_OK &&
	       fakeapi_yaml_read(b, &right, &twice, &why) == BASE_OK;
	if (fine) {
		if (!same_layout(a, b))
			replay_differs_at(place, "form", a, b);
		replay_json(place, base_buf_peek(&left), base_buf_peek(&right));
	}
	base_buf_release(&left);
	base_buf_release(&right);
	base_buf_release(&twice);
	base_buf_release(&why);
	return fine;
}

static void compare(struct replay_place *place, struct base_str a, struct base_str b)
{
	struct base_str value_a, value_b;

	if (replay_is_lines(a) && replay_is_lines(b)) {
		replay_lines_text(place, a, b);
	} else if (replay_is_protobuf(a) && replay_is_protobuf(b)) {
		replay_protobuf(place, a, b);
	} else if (replay_is_protobuf_frames(a) && replay_is_protobuf_frames(b)) {
		replay_protobuf_frames(place, a, b);
	} else if (base_json_check(a, &value_a, NULL, NULL) == BASE_OK &&
		   base_json_check(b, &value_b, NULL, NULL) == BASE_OK) {
		if (!same_form(a, value_a, b, value_b))
			replay_differs_at(place, "form", a, b);
		replay_json(place, value_a, value_b);
	} else if (!replay_text_message(place, a, b)) {
		replay_differs_at(place, "body", a, b);
	}
}

void replay_body(struct replay_place *place, const struct replay_answer *recorded,
		 const struct replay_answer *got)
{
	struct base_buf a, b;
	bool fine = true;

	base_buf_init(&a, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&b, NULL, BASE_BUF_MAX_DEFAULT);
	if (is_gzip(recorded) && is_gzip(got))
		fine = replay_gunzip(recorded->body, &a) && replay_gunzip(got->body, &b);
	if (!fine)
		replay_differs_at(place, "body", BASE_STR("gzip"),
				  BASE_STR("no whole gzip stream"));
	else if (is_gzip(recorded) && is_gzip(got))
		compare(place, base_buf_peek(&a), base_buf_peek(&b));
	else if (!is_yaml(recorded) || !is_yaml(got) ||
		 !compare_yaml(place, recorded->body, got->body))
		compare(place, recorded->body, got->body);
	base_buf_release(&a);
	base_buf_release(&b);
}
