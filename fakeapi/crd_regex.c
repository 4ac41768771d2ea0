/* Patterns of schemas. Go's are RE2's; those of libc are close enough once classes and groups are written
 * its way. libc compiles them with its own memory. */
#include "fakeapi/crd.h"

#include <regex.h>

struct translated {
	char text[4096];
	size_t len;
	bool fits, fold;
};

static void put(struct translated *t, const char *text)
{
	size_t n = strlen(text);
	if (t->len + n >= sizeof t->text) {
		t->fits = false;
		return;
	}
	memcpy(t->text + t->len, text, n + 1);
	t->len += n;
}

static void put_char(struct translated *t, char c)
{
	const char text[2] = {c, '\0'};
	put(t, text);
}

/* \d and its like; inside: within brackets. NULL: no class. */
static const char *class_of(char c, bool inside)
{
	switch (c) {
	case 'd': return inside ? "0-9" : "[0-9]";
	case 'D': return inside ? NULL : "[^0-9]";
	case 'w': return inside ? "0-9A-Za-z_" : "[0-9A-Za-z_]";
	case 'W': return inside ? NULL : "[^0-9A-Za-z_]";
	case 's': return inside ? "\t\n\f\r " : "[\t\n\f\r ]";
	case 'S': return inside ? NULL : "[^\t\n\f\r ]";
	default: return NULL;
	}
}

static char control_of(char c)
{
	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case 'f': return '\f';
	case 'v': return '\v';
	default: return '\0';
	}
}

/* From behind "[" to its "]"; where it goes on. POSIX knows no backslashes here. */
static size_t bracket(struct translated *t, struct base_str p, size_t i)
{
	struct translated set = {.fits = true};
	bool close = false, dash = false;
	put_char(t, '[');
	if (i < p.len && p.ptr[i] == '^') {
		put_char(t, '^');
		i++;
	}
	for (size_t from = i; i < p.len && (p.ptr[i] != ']' || i == from); i++) {
		char c = p.ptr[i];
		if (c == '[' && i + 1 < p.len && p.ptr[i + 1] == ':') {
			while (i < p.len && !(p.ptr[i] == ']' && p.ptr[i - 1] == ':'))
				put_char(&set, p.ptr[i++]);
			put_char(&set, ']');
			continue;
		}
		if (c != '\\' || i + 1 == p.len) {
			close = close || c == ']';
			if (c != ']')
				put_char(&set, c);
			continue;
		}
		c = p.ptr[++i];
		const char *class = class_of(c, true);
		if (class != NULL)
			put(&set, class);
		else if (control_of(c) != '\0')
			put_char(&set, control_of(c));
		else if (c == '-')
			dash = true;
		else if (c == ']')
			close = true;
		else
			put_char(&set, c);
	}
	if (close)
		put_char(t, ']');
	put(t, set.text);
	put(t, dash ? "-]" : "]");
	t->fits = t->fits && set.fits;
	return i + 1;
}

/* "(?:", "(?P<name>", "(?i)": what stands behind "(?"; where it goes on. */
static size_t group(struct translated *t, struct base_str p, size_t i)
{
	if (i < p.len && (p.ptr[i] == 'P' || p.ptr[i] == '<')) {
		while (i < p.len && p.ptr[i] != '>')
			i++;
		put_char(t, '(');
		return i + 1;
	}
	for (; i < p.len && p.ptr[i] != ':' && p.ptr[i] != ')'; i++)
		t->fold = t->fold || p.ptr[i] == 'i';
	if (i < p.len && p.ptr[i] == ':')
		put_char(t, '(');
	return i + 1;
}

static size_t escape(struct translated *t, char c, size_t i)
{
	const char *class = class_of(c, false);
	if (class != NULL) {
		put(t, class);
	} else if (control_of(c) != '\0') {
		put_char(t, control_of(c));
	} else if (c == 'A') {
		put_char(t, '^');
	} else if (c == 'z') {
		put_char(t, '$');
	} else {
		if (strchr(".[]{}()*+?^$|\\", c) != NULL || c == 'b' || c == 'B')
			put_char(t, '\\');
		put_char(t, c);
	}
	return i + 1;
}

static void translate(struct translated *t, struct base_str p)
{
	char last = '\0';
	for (size_t i = 0; i < p.len && t->fits;) {
		char c = p.ptr[i++];
		bool lazy = c == '?' && (last == '*' || last == '+' || last == '?' || last == '}');
		if (c == '\\' && i < p.len)
			i = escape(t, p.ptr[i], i);
		else if (c == '[')
			i = bracket(t, p, i);
		else if (c == '(' && i < p.len && p.ptr[i] == '?')
			i = group(t, p, i + 1);
		else if (!lazy)
			put_char(t, c);
		last = lazy ? '\0' : c;
	}
}

bool fakeapi_crd_matches(struct base_str pattern, struct base_str text)
{
	struct translated t = {.fits = true};
	regex_t regex;
	char copy[8192];
	translate(&t, pattern);
	if (!t.fits || text.len >= sizeof copy || memchr(text.ptr, '\0', text.len) != NULL)
		return true;
	if (regcomp(&regex, t.text, REG_EXTENDED | REG_NOSUB | (t.fold ? REG_ICASE : 0)) != 0)
		return true;
	if (text.len != 0)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	bool matches = regexec(&regex, copy, 0, NULL, 0) == 0;
	regfree(&regex);
	return matches;
}
