#include "informer/handler.h"

#include <stdio.h>

#include "ci/unit/assert.h"
#include "informer/object_rig.h"

extern CU_SuiteInfo informer_handler_suite;

static char seen[256];

static enum inf_end_of_call add(void *self, struct inf_object *object, bool initial,
				struct inf_token *token)
{
	(void)self;
	(void)token;
	(void)snprintf(seen, sizeof(seen), "add %.*s%s", BASE_STR_ARG(inf_object_rv(object)),
		       initial ? " initial" : "");
	return INF_DONE;
}

static enum inf_end_of_call update(void *self, struct inf_object *old_object,
				   struct inf_object *new_object, struct inf_token *token)
{
	(void)self;
	(void)token;
	(void)snprintf(seen, sizeof(seen), "update %.*s %.*s",
		       BASE_STR_ARG(inf_object_rv(old_object)),
		       BASE_STR_ARG(inf_object_rv(new_object)));
	return INF_DONE;
}

static enum inf_end_of_call del(void *self, const struct inf_deleted *deleted,
				struct inf_token *token)
{
	(void)self;
	(void)token;
	(void)snprintf(seen, sizeof(seen), "delete %.*s%s", BASE_STR_ARG(deleted->key),
		       deleted->tombstone ? " tombstone" : "");
	return INF_DONE;
}

/* Accepts the label app=yes, and tombstones by their key. */
static bool accept(void *self, const struct inf_object *object, const struct inf_deleted *deleted)
{
	struct base_buf buf;
	struct base_str text = {0};

	(void)self;
	if (deleted != NULL && deleted->tombstone)
		return base_str_is(deleted->key, "ns/yes");
	base_buf_init(&buf, NULL, 100);
	return inf_object_label(object, BASE_STR("app"), &buf, &text) == BASE_OK &&
	       base_str_is(text, "yes");
}

static struct inf_filter filter = {.accept = accept,
				   .handler = {.add = add, .update = update, .del = del}};

static void the_filter_turns_changes_of_acceptance_into_adds_and_deletes(void) /* C-14 */
{
	static const struct {
		const char *old_app, *new_app, *want;
	} rows[] = {
		{"yes", "yes", "update 1 2"},
		{"no", "yes", "add 2"},
		{"yes", "no", "delete ns/a"},
		{"no", "no", ""},
	};
	const struct inf_handler handler = inf_filter_handler(&filter);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct inf_object *before = rig_object("ns/a", 1, rows[i].old_app);
		struct inf_object *after = rig_object("ns/a", 2, rows[i].new_app);

		CHECK_ROW("%s to %s", rows[i].old_app, rows[i].new_app);
		seen[0] = '\0';
		CHECK_INT(handler.update(handler.self, before, after, NULL), INF_DONE);
		CHECK_TEXT(seen, rows[i].want);
		inf_object_unref(before);
		inf_object_unref(after);
	}
}

static void the_filter_sees_adds_deletes_and_tombstones(void)
{
	const struct inf_handler handler = inf_filter_handler(&filter);
	struct inf_object *yes = rig_object("ns/yes", 1, "yes"), *no = rig_object("ns/no", 1, "no");
	const struct inf_deleted gone = {.object = yes, .key = BASE_STR("ns/yes")};
	const struct inf_deleted lost = {.tombstone = true, .key = BASE_STR("ns/yes")};
	const struct inf_deleted other = {.tombstone = true, .key = BASE_STR("ns/no")};

	seen[0] = '\0';
	CHECK_INT(handler.add(handler.self, no, true, NULL), INF_DONE);
	CHECK_INT(handler.del(handler.self, &other, NULL), INF_DONE);
	CHECK_TEXT(seen, "");
	CHECK_INT(handler.add(handler.self, yes, true, NULL), INF_DONE);
	CHECK_TEXT(seen, "add 1 initial");
	CHECK_INT(handler.del(handler.self, &gone, NULL), INF_DONE);
	CHECK_TEXT(seen, "delete ns/yes");
	CHECK_INT(handler.del(handler.self, &lost, NULL), INF_DONE);
	CHECK_TEXT(seen, "delete ns/yes tombstone");
	inf_object_unref(yes);
	inf_object_unref(no);
}

static void absent_functions_are_skipped(void) /* C-13 */
{
	struct inf_filter bare = {.accept = accept};
	const struct inf_handler handler = inf_filter_handler(&bare);
	struct inf_object *yes = rig_object("ns/yes", 1, "yes"),
			  *no = rig_object("ns/yes", 2, "no");
	const struct inf_deleted gone = {.object = yes, .key = BASE_STR("ns/yes")};

	CHECK_INT(handler.add(handler.self, yes, true, NULL), INF_DONE);
	CHECK_INT(handler.update(handler.self, yes, yes, NULL), INF_DONE);
	CHECK_INT(handler.update(handler.self, no, yes, NULL), INF_DONE);
	CHECK_INT(handler.update(handler.self, yes, no, NULL), INF_DONE);
	CHECK_INT(handler.del(handler.self, &gone, NULL), INF_DONE);
	inf_object_unref(yes);
	inf_object_unref(no);
}

static CU_TestInfo tests[] = {
	{"the_filter_turns_changes_of_acceptance_into_adds_and_deletes",
	 the_filter_turns_changes_of_acceptance_into_adds_and_deletes},
	{"the_filter_sees_adds_deletes_and_tombstones",
	 the_filter_sees_adds_deletes_and_tombstones},
	{"absent_functions_are_skipped", absent_functions_are_skipped},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_handler_suite = {.pName = "informer/handler", .pTests = tests};
