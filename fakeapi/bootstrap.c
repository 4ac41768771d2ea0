#include "fakeapi/bootstrap.h"

#include "fakeapi/machine.h"

/* The last revision of a start. */
#define START_RV 200

struct words {
	char time[24], date[12];
	struct base_str version;
};

static enum base_code append_word(const struct words *words, char word, struct base_buf *out)
{
	switch (word) {
	case 'T': return base_buf_text(out, words->time);
	case 'P': return base_buf_printf(out, "%.19s.000000Z", words->time);
	case 'D': return base_buf_text(out, words->date);
	case 'V': return base_buf_str(out, words->version);
	default: return BASE_EINVAL;
	}
}

static enum base_code object_write(const struct words *words, const char *text,
				   struct base_buf *out)
{
	struct base_str rest = base_str(text);
	enum base_code code = BASE_OK;
	base_buf_clear(out);
	while (code == BASE_OK && rest.len != 0) {
		size_t at = base_str_find_char(rest, '$');
		size_t len = at == SIZE_MAX ? rest.len : at;
		code = base_buf_str(out, base_str_take(rest, len));
		rest = base_str_skip(rest, len);
		if (code == BASE_OK && rest.len > 1) {
			code = append_word(words, rest.ptr[1], out);
			rest = base_str_skip(rest, 2);
		}
	}
	return code;
}

/* "1.36": 36. */
static unsigned minor_of(const struct fakeapi_profile *profile)
{
	uint64_t minor = 0;
	size_t dot = base_str_find_char(base_str(profile->name), '.');
	if (dot == SIZE_MAX || !base_str_u64(base_str(profile->name + dot + 1), &minor))
		return 0;
	return (unsigned)minor;
}

enum base_code fakeapi_bootstrap(struct fakeapi *f)
{
	struct words words = {.version = base_str(f->profile->git_version + 1)};
	unsigned minor = minor_of(f->profile);
	struct base_buf object;
	enum base_code code = BASE_OK;
	fakeapi_time_text(f, f->now_ns, words.time);
	memcpy(words.date, words.time, 10);
	base_buf_init(&object, f->alloc, FAKEAPI_BODY_MAX);
	for (size_t i = 0; i < fakeapi_bootstrap_row_count && code == BASE_OK; i++) {
		const struct fakeapi_bootstrap_row *row = &fakeapi_bootstrap_rows[i];
		if (minor < row->since || minor > row->until)
			continue;
		while (f->store.revision + 1 < row->rv)
			fakeapi_store_skip(&f->store);
		code = object_write(&words, row->object, &object);
		if (code == BASE_OK)
			code = fakeapi_write_seed(f, base_buf_peek(&object), NULL);
		if (code == BASE_EINVAL) /* a resource that this server has not */
			code = BASE_OK;
	}
	while (code == BASE_OK && f->store.revision < START_RV)
		fakeapi_store_skip(&f->store);
	base_buf_release(&object);
	return code;
}
