#include "informer/live/credentials.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "informer/live/exec.h"
#include "informer/live/held.h"
#include "informer/live/lines.h"
#include "informer/live/pool.h"

#define SECOND_NS UINT64_C(1000000000)
#define TOKEN_FILE_NS (50 * SECOND_NS) /* a minute with ten seconds of leeway */
#define CERTIFICATE_NS SECOND_NS
#define LOOK_NS (60 * SECOND_NS) /* client-go looks every five minutes */
#define SECRET_MAX ((size_t)8 << 20)

/* One exchange on its way through. */
struct passage {
	struct live_credentials *credentials;
	struct inf_exchange *outer;
	struct inf_exchange inner;
	struct live_held held; /* while it waits for the plugin */
	bool waiting;
	struct passage *prev, *next; /* all of them, the oldest first */
};

struct file_state {
	time_t seconds;
	long nanoseconds;
	off_t size;
	ino_t inode;
};

struct live_credentials {
	struct live_credentials_options options;
	const struct live_user *user;
	struct live_http *http;
	struct live_decorator decorator;
	struct base_buf token, certificate, key;
	struct file_state certificate_state, key_state, authority_state;
	uint64_t token_at_ns, files_at_ns; /* when they were looked at last */
	bool token_stale;
	struct live_plugin *plugin; /* NULL: none */
	bool plugin_good;
	int64_t expires;             /* seconds since 1970; 0: never */
	uint64_t waited, refused;    /* for describe: requests that waited; answers 401 */
	struct base_loop_post post;  /* those that waited go on from the loop */
	struct base_loop_timer look; /* at the files, while something is in flight */
	bool looking;
	struct base_error plugin_error;
	struct passage *first, *last;
};

static uint64_t now_ns(const struct live_credentials *c)
{
	return base_loop_now_ns(c->options.loop);
}

static int64_t wall(const struct live_credentials *c)
{
	return c->options.wall != NULL ? c->options.wall(c->options.wall_self)
				       : (int64_t)time(NULL);
}

static void warn(const struct live_credentials *c, const char *text)
{
	if (c->options.warn != NULL)
		c->options.warn(c->options.warn_self, text);
}

/* ---- Files ---- */

/* One line: nothing that would begin another header. */
static bool is_token(struct base_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return false;
	return text.len != 0;
}

static enum base_code read_token(struct live_credentials *c, struct base_error *error)
{
	const char *path = c->user->token_file;
	struct base_buf text, trimmed;

	base_buf_init(&text, c->options.alloc, SECRET_MAX);
	base_buf_init(&trimmed, c->options.alloc, SECRET_MAX);
	enum base_code code = live_read_file(path, &text, error);
	const struct base_str token = base_str_trim(base_buf_peek(&text));
	if (code == BASE_OK && token.len == 0)
		code = base_fail(error, BASE_EINVAL, "%s: the token file is empty", path);
	else if (code == BASE_OK && !is_token(token))
		code = base_fail(error, BASE_EINVAL, "%s: a token has to be one line", path);
	else if (code == BASE_OK && base_buf_str(&trimmed, token) != BASE_OK)
		code = base_fail(error, BASE_ENOMEM, "%s: no memory to read it", path);
	live_wipe(&text);
	if (code == BASE_OK) {
		live_wipe(&c->token);
		c->token = trimmed;
	} else {
		live_wipe(&trimmed);
	}
	return code;
}

static struct file_state state_of(const char *path)
{
	struct stat state;

	if (path == NULL || stat(path, &state) != 0)
		return (struct file_state){0};
	return (struct file_state){.seconds = state.st_mtim.tv_sec,
				   .nanoseconds = state.st_mtim.tv_nsec,
				   .size = state.st_size,
				   .inode = state.st_ino};
}

static bool same_state(struct file_state a, struct file_state b)
{
	return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds && a.size == b.size &&
	       a.inode == b.inode;
}

/* Both or none: a certificate of one making with a key of another is of no use. */
static enum base_code read_pair(struct live_credentials *c, struct base_error *error)
{
	const struct live_user *user = c->user;
	struct base_buf certificate, key;
	enum base_code code = BASE_OK;

	base_buf_init(&certificate, c->options.alloc, SECRET_MAX);
	base_buf_init(&key, c->options.alloc, SECRET_MAX);
	const struct file_state states[] = {state_of(user->certificate_file),
					    state_of(user->key_file)};
	if (user->certificate_file != NULL)
		code = live_read_file(user->certificate_file, &certificate, error);
	else
		code = base_buf_str(&certificate, user->certificate_pem);
	if (code == BASE_OK)
		code = user->key_file != NULL ? live_read_file(user->key_file, &key, error)
					      : base_buf_str(&key, user->key_pem);
	if (code == BASE_OK && certificate.len != 0)
		code = live_pair_check(base_buf_peek(&certificate), base_buf_peek(&key), error);
	if (code == BASE_OK) {
		live_wipe(&c->certificate);
		live_wipe(&c->key);
		c->certificate = certificate;
		c->key = key;
		c->certificate_state = states[0];
		c->key_state = states[1];
	} else {
		live_wipe(&certificate);
		live_wipe(&key);
	}
	return code;
}

static void refresh_token(struct live_credentials *c)
{
	struct base_error error = {0};

	if (c->user->token_file == NULL ||
	    (!c->token_stale && now_ns(c) - c->token_at_ns < TOKEN_FILE_NS))
		return;
	c->token_stale = false;
	c->token_at_ns = now_ns(c);
	if (read_token(c, &error) != BASE_OK)
		warn(c, error.text);
}

/* A file that is no authority any more leaves the old one in force. */
static void refresh_authority(struct live_credentials *c)
{
	const char *path = c->options.target->cluster->authority_file;
	const struct file_state state = state_of(path);
	struct base_error error = {0};
	struct base_buf pem;

	if (path == NULL || same_state(state, c->authority_state))
		return;
	base_buf_init(&pem, c->options.alloc, SECRET_MAX);
	enum base_code code = live_read_file(path, &pem, &error);
	if (code == BASE_OK &&
	    base_str_find(base_buf_peek(&pem), BASE_STR("-----BEGIN")) == SIZE_MAX)
		code = base_fail(&error, BASE_EINVAL, "%s: there is no PEM certificate in it",
				 path);
	if (code == BASE_OK && live_http_set_authority(c->http, base_buf_peek(&pem)) != BASE_OK)
		code = base_fail(&error, BASE_ENOMEM, "no memory for another authority");
	if (code != BASE_OK)
		warn(c, error.text);
	if (code != BASE_ENOMEM)
		c->authority_state = state;
	base_buf_release(&pem);
}

static void refresh_pair(struct live_credentials *c)
{
	struct base_error error = {0};
	const struct live_user *user = c->user;

	if (user->certificate_file == NULL && user->key_file == NULL)
		return;
	if (same_state(state_of(user->certificate_file), c->certificate_state) &&
	    same_state(state_of(user->key_file), c->key_state))
		return;
	if (read_pair(c, &error) != BASE_OK ||
	    live_http_set_identity(c->http, base_buf_peek(&c->certificate),
				   base_buf_peek(&c->key)) != BASE_OK)
		warn(c, error.text[0] != '\0' ? error.text
					      : "no memory for another client certificate");
}

static void refresh_files(struct live_credentials *c)
{
	if (now_ns(c) - c->files_at_ns < CERTIFICATE_NS)
		return;
	c->files_at_ns = now_ns(c);
	refresh_pair(c);
	refresh_authority(c);
}

/* A watch may last for ten minutes without a request beside it: its certificate is looked at all the same. */
static void look_later(struct live_credentials *c)
{
	const bool files = c->user->certificate_file != NULL || c->user->key_file != NULL;

	if (files && !c->looking)
		c->looking = base_loop_arm(c->options.loop, &c->look, now_ns(c) + LOOK_NS) ==
			     BASE_OK;
}

static void on_look(struct base_loop_timer *timer)
{
	struct live_credentials *c = timer->owner;

	c->looking = false;
	refresh_files(c);
	if (c->first != NULL)
		look_later(c);
}

/* ---- The decorator ---- */

static bool has_header(const struct inf_http_request *request, const char *name)
{
	for (size_t i = 0; i < request->header_count; i++)
		if (live_same_name(request->headers[i].name, base_str(name)))
			return true;
	return false;
}

static enum base_code put_impersonation(const struct live_user *user, struct base_buf *lines)
{
	enum base_code code = BASE_OK;

	if (user->as == NULL || user->as[0] == '\0')
		return BASE_OK;
	code = live_put_line(lines, "Impersonate-User", base_str(user->as));
	if (code == BASE_OK && user->as_uid != NULL)
		code = live_put_line(lines, "Impersonate-Uid", base_str(user->as_uid));
	for (size_t i = 0; code == BASE_OK && i < user->as_groups.count; i++)
		code = live_put_line(lines, "Impersonate-Group",
				     base_str(user->as_groups.items[i]));
	for (size_t i = 0; code == BASE_OK && i < user->as_extra.count; i++) {
		code = base_buf_text(lines, "Impersonate-Extra-");
		if (code == BASE_OK)
			code = live_put_key_escaped(lines, base_str(user->as_extra.items[i].name));
		if (code == BASE_OK)
			code = live_put_line(lines, "", base_str(user->as_extra.items[i].value));
	}
	return code;
}

/* A request with an Authorization of its own keeps it (B-15). */
static enum base_code decorate(void *self, const struct inf_http_request *request,
			       struct base_buf *lines, struct base_error *error)
{
	const struct live_credentials *c = self;
	const struct live_user *user = c->user;
	enum base_code code = BASE_OK;

	if (!has_header(request, "Authorization")) {
		if (c->token.len != 0)
			code = base_buf_printf(lines, "Authorization: Bearer %s\n", c->token.ptr);
		else if (user->password != NULL)
			code = live_put_basic(lines, user->username, user->password);
	}
	if (code == BASE_OK)
		code = put_impersonation(user, lines);
	if (code == BASE_EINVAL)
		return base_fail(error, code, "the user to act as has a line end in a name");
	return code == BASE_OK ? BASE_OK
			       : base_fail(error, code, "no memory for the lines of who we are");
}

/* ---- Passages ---- */

static void passage_free(struct passage *p)
{
	struct live_credentials *c = p->credentials;

	*(p->prev != NULL ? &p->prev->next : &c->first) = p->next;
	*(p->next != NULL ? &p->next->prev : &c->last) = p->prev;
	live_held_release(&p->held, c->options.alloc);
	base_free(c->options.alloc, p);
}

static void on_head(struct inf_exchange *inner, int status, const struct inf_header *headers,
		    size_t count)
{
	struct passage *p = inner->owner;
	struct live_credentials *c = p->credentials;

	if (status == 401) {
		c->refused++;
		c->token_stale = true;
		c->plugin_good = false;
	}
	p->outer->on_head(p->outer, status, headers, count);
}

static void on_body(struct inf_exchange *inner, struct base_str bytes)
{
	struct passage *p = inner->owner;

	p->outer->on_body(p->outer, bytes);
}

static void end_outer(struct passage *p, enum inf_end end, struct base_str text)
{
	struct inf_exchange *outer = p->outer;

	outer->transport_state = NULL;
	passage_free(p);
	outer->on_end(outer, end, text);
}

static void on_end(struct inf_exchange *inner, enum inf_end end, struct base_str text)
{
	end_outer(inner->owner, end, text);
}

static enum base_code go_on(struct passage *p, const struct inf_http_request *request,
			    struct base_error *error)
{
	const struct inf_transport to = live_http_transport(p->credentials->http);
	const enum base_code code = to.start(to.self, &p->inner, request, error);

	if (code == BASE_OK && !p->waiting)
		p->outer->id = p->inner.id;
	return code;
}

/* ---- The plugin ---- */

static bool plugin_is_wanted(const struct live_credentials *c)
{
	return c->plugin != NULL && (!c->plugin_good || (c->expires != 0 && wall(c) >= c->expires));
}

/* From the loop: the plugin has ended, those that waited go on or fail. */
static void on_post(struct base_loop_post *post)
{
	struct live_credentials *c = post->owner;
	struct passage *p;

	for (;;) {
		for (p = c->first; p != NULL && !p->waiting; p = p->next)
			;
		if (p == NULL || live_plugin_runs(c->plugin))
			return;
		if (!c->plugin_good) {
			end_outer(p, INF_END_OTHER, base_str(c->plugin_error.text));
			continue;
		}
		struct base_error error = {0};
		const enum base_code code = go_on(p, &p->held.request, &error);
		p->waiting = false;
		live_held_release(&p->held, c->options.alloc);
		if (code != BASE_OK)
			end_outer(p, INF_END_OTHER, base_str(error.text));
	}
}

static enum base_code take_answer(struct live_credentials *c, const struct live_answer *answer)
{
	struct base_buf token;

	base_buf_init(&token, c->options.alloc, SECRET_MAX);
	if (base_buf_str(&token, answer->token) != BASE_OK)
		return BASE_ENOMEM;
	live_wipe(&c->token);
	c->token = token;
	c->expires = answer->expires;
	/* With a certificate in the kubeconfig the plugin's is not used (B-15). */
	if (answer->certificate_pem.len == 0 || c->user->certificate_file != NULL ||
	    c->user->certificate_pem.len != 0)
		return BASE_OK;
	return live_http_set_identity(c->http, answer->certificate_pem, answer->key_pem);
}

static void on_answer(void *self, const struct live_answer *answer, const struct base_error *error)
{
	struct live_credentials *c = self;

	c->plugin_good = answer != NULL;
	if (answer == NULL) {
		c->plugin_error = *error;
	} else if (take_answer(c, answer) != BASE_OK) {
		c->plugin_good = false;
		base_fail(&c->plugin_error, BASE_ENOMEM, "no memory for the plugin's credentials");
	}
	base_loop_post(c->options.loop, &c->post);
}

static enum base_code wait_for_plugin(struct passage *p, const struct inf_http_request *request,
				      struct base_error *error)
{
	struct live_credentials *c = p->credentials;

	if (live_hold(&p->held, c->options.alloc, request) != BASE_OK)
		return base_fail(error, BASE_ENOMEM, "no memory for a request");
	if (!live_plugin_runs(c->plugin)) {
		const enum base_code code = live_plugin_run(c->plugin, error);

		if (code == BASE_ENOMEM)
			return code;
		if (code != BASE_OK) {
			/* Known at once, told from the loop. */
			if (error != NULL) {
				c->plugin_error = *error;
				*error = (struct base_error){0};
			} else {
				base_fail(&c->plugin_error, code, "the plugin cannot be run");
			}
			c->plugin_good = false;
			base_loop_post(c->options.loop, &c->post);
		}
	}
	p->waiting = true;
	c->waited++;
	return BASE_OK;
}

/* ---- The transport ---- */

static enum base_code start(void *self, struct inf_exchange *exchange,
			    const struct inf_http_request *request, struct base_error *error)
{
	struct live_credentials *c = self;
	struct passage *p = base_calloc(c->options.alloc, 1, sizeof *p);

	if (p == NULL)
		return base_fail(error, BASE_ENOMEM, "no memory for a request");
	p->credentials = c;
	p->outer = exchange;
	p->inner = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = p};
	p->prev = c->last;
	*(c->last != NULL ? &c->last->next : &c->first) = p;
	c->last = p;
	refresh_token(c);
	refresh_files(c);
	look_later(c);
	const bool wait = plugin_is_wanted(c) && !has_header(request, "Authorization");
	const enum base_code code = wait ? wait_for_plugin(p, request, error)
					 : go_on(p, request, error);
	if (code != BASE_OK) {
		passage_free(p);
		return code;
	}
	exchange->transport_state = p;
	return BASE_OK;
}

static void cancel(void *self, struct inf_exchange *exchange)
{
	struct live_credentials *c = self;
	struct passage *p = exchange->transport_state;

	if (p == NULL)
		return;
	exchange->transport_state = NULL;
	if (!p->waiting) {
		const struct inf_transport to = live_http_transport(c->http);

		to.cancel(to.self, &p->inner);
	}
	passage_free(p);
}

/* ---- Making and freeing ---- */

static enum base_code begin(struct live_credentials *c, struct base_error *error)
{
	const struct live_user *user = c->user;
	enum base_code code = BASE_OK;

	if (user->token_file != NULL)
		code = read_token(c, error);
	/* Of both the file wins; the token is what is left when it cannot be read. */
	if (user->token != NULL && (user->token_file == NULL || code != BASE_OK)) {
		if (!is_token(base_str_trim(base_str(user->token))))
			return base_fail(error, BASE_EINVAL,
					 "user \"%s\" has a token that is empty "
					 "or not one line",
					 user->entry.name != NULL ? user->entry.name : "");
		if (code != BASE_OK && error != NULL)
			*error = (struct base_error){0};
		code = base_buf_str(&c->token, base_str_trim(base_str(user->token)));
	}
	if (code == BASE_OK)
		code = read_pair(c, error);
	if (code != BASE_OK)
		return code;
	c->token_at_ns = c->files_at_ns = now_ns(c);
	c->authority_state = state_of(c->options.target->cluster->authority_file);
	if (user->exec == NULL || c->token.len != 0 || user->password != NULL)
		return BASE_OK;
	c->plugin =
		live_plugin_new(&(struct live_plugin_options){.alloc = c->options.alloc,
							      .loop = c->options.loop,
							      .exec = user->exec,
							      .cluster = c->options.target->cluster,
							      .terminal = c->options.terminal,
							      .warn = c->options.warn,
							      .warn_self = c->options.warn_self,
							      .done = on_answer,
							      .self = c},
				error);
	return c->plugin != NULL ? BASE_OK : BASE_ENOMEM;
}

struct live_credentials *live_credentials_new(const struct live_credentials_options *options,
					      struct base_error *error)
{
	struct live_credentials *c = base_calloc(options->alloc, 1, sizeof *c);

	if (c == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for the credentials");
		return NULL;
	}
	c->options = *options;
	c->user = options->target->user;
	c->decorator = (struct live_decorator){.decorate = decorate, .self = c};
	c->post = (struct base_loop_post){.run = on_post, .owner = c};
	c->look = (struct base_loop_timer){.fire = on_look, .owner = c};
	base_buf_init(&c->token, options->alloc, SECRET_MAX);
	base_buf_init(&c->certificate, options->alloc, SECRET_MAX);
	base_buf_init(&c->key, options->alloc, SECRET_MAX);
	const enum base_code code = begin(c, error);
	if (code == BASE_OK)
		return c;
	if (error != NULL && error->code == BASE_OK)
		base_fail(error, code, "no memory for the credentials");
	live_credentials_free(c);
	return NULL;
}

void live_credentials_free(struct live_credentials *c)
{
	if (c == NULL)
		return;
	base_loop_revoke(c->options.loop, &c->post);
	base_loop_disarm(c->options.loop, &c->look);
	while (c->first != NULL)
		cancel(c, c->first->outer);
	live_plugin_free(c->plugin);
	live_wipe(&c->token);
	live_wipe(&c->certificate);
	live_wipe(&c->key);
	base_free(c->options.alloc, c);
}

const struct live_decorator *live_credentials_decorator(struct live_credentials *c)
{
	return &c->decorator;
}

void live_credentials_identity(const struct live_credentials *c, struct base_str *certificate_pem,
			       struct base_str *key_pem)
{
	*certificate_pem = base_buf_peek(&c->certificate);
	*key_pem = base_buf_peek(&c->key);
}

void live_credentials_lead_to(struct live_credentials *c, struct live_http *http)
{
	c->http = http;
}

struct inf_transport live_credentials_transport(struct live_credentials *c)
{
	return (struct inf_transport){.self = c, .start = start, .cancel = cancel};
}

enum base_code live_credentials_describe(const struct live_credentials *c, struct base_buf *out)
{
	const struct live_user *user = c->user;
	enum base_code code = base_buf_printf(
		out, "user %s: token %s(%zu bytes), certificate %s(%zu bytes), key (%zu bytes)",
		user->entry.name != NULL ? user->entry.name : "-",
		user->token_file != NULL ? "from a file " : "", c->token.len,
		user->certificate_file != NULL ? "from a file " : "", c->certificate.len,
		c->key.len);

	if (code == BASE_OK && c->plugin != NULL)
		code = base_buf_printf(out, ", plugin %s ran %u times", user->exec->command,
				       live_plugin_count(c->plugin));
	if (code == BASE_OK && user->password != NULL)
		code = base_buf_text(out, ", a password");
	return code == BASE_OK
		       ? base_buf_printf(out, ", %llu answers 401", (unsigned long long)c->refused)
		       : code;
}
