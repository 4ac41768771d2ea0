#include "informer/query.h"

/* The first error sticks, so that a query reads as a list. */
struct writer {
	struct base_buf *out;
	size_t start;
	enum base_code code;
};

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.' || c == '~';
}

static void put_char(struct writer *w, char c)
{
	if (w->code == BASE_OK) {
		w->code = base_buf_char(w->out, c);
	}
}

static void put_encoded(struct writer *w, struct base_str s, bool space_is_plus)
{
	static const char hex[] = "0123456789ABCDEF";
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		if (is_plain((char)c)) {
			put_char(w, (char)c);
		} else if (c == ' ' && space_is_plus) {
			put_char(w, '+');
		} else {
			put_char(w, '%');
			put_char(w, hex[c >> 4]);
			put_char(w, hex[c & 15]);
		}
	}
}

static void put_key(struct writer *w, const char *key)
{
	if (w->code == BASE_OK && w->out->len > w->start) {
		put_char(w, '&');
	}
	if (w->code == BASE_OK) {
		w->code = base_buf_text(w->out, key);
	}
	put_char(w, '=');
}

static void put_text(struct writer *w, const char *key, struct base_str value)
{
	if (value.len > 0) {
		put_key(w, key);
		put_encoded(w, value, true);
	}
}

static void put_number(struct writer *w, const char *key, int64_t value)
{
	if (value != 0) {
		put_key(w, key);
		if (w->code == BASE_OK) {
			w->code = base_buf_i64(w->out, value);
		}
	}
}

static void put_flag(struct writer *w, const char *key, bool value)
{
	if (value) {
		put_text(w, key, BASE_STR("true"));
	}
}

enum base_code inf_duration_text(int64_t seconds, struct base_buf *out)
{
	int64_t h = seconds / 3600, m = seconds / 60 % 60, s = seconds % 60;
	if (h > 0) {
		return base_buf_printf(out, "%lldh%lldm%llds", (long long)h, (long long)m,
				       (long long)s);
	}
	if (m > 0) {
		return base_buf_printf(out, "%lldm%llds", (long long)m, (long long)s);
	}
	return base_buf_printf(out, "%llds", (long long)s);
}

enum base_code inf_query_encode(const struct inf_resource *resource,
				const struct inf_list_options *options, struct base_buf *out)
{
	struct writer w = {.out = out, .start = out->len, .code = BASE_OK};
	put_flag(&w, "allowWatchBookmarks", options->allow_watch_bookmarks);
	put_text(&w, "continue", options->continue_token);
	put_text(&w, "fieldSelector", resource->field_selector);
	put_text(&w, "labelSelector", resource->label_selector);
	put_number(&w, "limit", options->limit);
	put_text(&w, "resourceVersion", options->resource_version);
	put_text(&w, "resourceVersionMatch", options->resource_version_match);
	put_flag(&w, "sendInitialEvents", options->send_initial_events);
	if (options->timeout_s != 0 && resource->flavour != INF_DYNAMIC) {
		put_key(&w, "timeout");
		if (w.code == BASE_OK) {
			w.code = inf_duration_text(options->timeout_s, out);
		}
	}
	put_number(&w, "timeoutSeconds", options->timeout_s);
	put_flag(&w, "watch", options->watch);
	return w.code;
}

enum base_code inf_path(const struct inf_resource *resource, struct base_buf *out)
{
	struct writer w = {.out = out, .start = out->len, .code = BASE_OK};
	w.code = base_buf_text(out, resource->group.len == 0 ? "/api/" : "/apis/");
	if (resource->group.len > 0) {
		put_encoded(&w, resource->group, false);
		put_char(&w, '/');
	}
	put_encoded(&w, resource->version, false);
	if (resource->namespace_.len > 0) {
		if (w.code == BASE_OK) {
			w.code = base_buf_text(out, "/namespaces/");
		}
		put_encoded(&w, resource->namespace_, false);
	}
	put_char(&w, '/');
	put_encoded(&w, resource->name, false);
	return w.code;
}

struct base_str inf_accept(enum inf_flavour flavour, bool watch)
{
	if (flavour != INF_METADATA) {
		return BASE_STR("application/json");
	}
	if (watch) {
		return BASE_STR("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
				"application/json");
	}
	return BASE_STR("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
			"application/json");
}
