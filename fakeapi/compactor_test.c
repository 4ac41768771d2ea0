/* The store is compacted by the servers themselves: what that ends, and when (3.8, L-16). */
#include "fakeapi/rig_test.h"

static void compacting_init(struct rig *rig, const char *profile)
{
	struct fakeapi_config config;
	struct base_error error = {0};
	memset(rig, 0, sizeof *rig);
	base_alloc_probe_init(&rig->probe);
	fakeapi_config_defaults(&config);
	config.alloc = &rig->probe.alloc;
	config.profile = base_str(profile);
	config.compaction_ns = 5 * UINT64_C(1000000000);
	config.notice_ns = FAKEAPI_NEVER;
	rig->f = fakeapi_new(&config, &error);
}

/* The status of an Exact list at the version from before the first round. */
static int exact_at(struct rig *rig, uint64_t at_ms)
{
	rig_advance(rig, at_ms);
	return rig_status(rig,
			  rig_get(rig, RIG_MAPS "?resourceVersion=102&resourceVersionMatch=Exact"));
}

static void the_past_goes_two_rounds_later(void)
{
	static const struct {
		const char *profile;
		int at_5, at_9, at_11, at_14, at_17;
	} rows[] = {
		{"1.31", 200, 200, 410, 410, 410},
		{"1.33", 200, 200, 410, 410, 410},
		{"1.36", 200, 200, 200, 200, 410},
		{"1.37", 200, 200, 200, 200, 410},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		CHECK_ROW("%s", rows[i].profile);
		compacting_init(&rig, rows[i].profile);
		rig_fill(&rig);
		size_t open = rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=101");
		CHECK_INT(exact_at(&rig, 5000), rows[i].at_5);
		CHECK_INT(exact_at(&rig, 9999), rows[i].at_9);
		CHECK_INT(exact_at(&rig, 11000), rows[i].at_11);
		CHECK_INT(exact_at(&rig, 14999), rows[i].at_14);
		CHECK_INT(exact_at(&rig, 17000), rows[i].at_17);
		/* Watches do not care: neither the open one nor a new one from long ago. */
		rig_touch(&rig, "a", 1);
		CHECK_TEXT(rig_lines(&rig, open), "A102 A103 M107");
		CHECK_TEXT(rig_lines(&rig, rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=100")),
			   "A101 A102 A103 M107");
		rig_release(&rig);
	}
}

static void each_round_takes_a_revision(void)
{
	struct rig rig;
	compacting_init(&rig, "1.36");
	rig_fill(&rig);
	CHECK_U64(fakeapi_revision(rig.f), 103);
	rig_advance(&rig, 5000);
	CHECK_U64(fakeapi_revision(rig.f), 104);
	CHECK_U64(fakeapi_compacted(rig.f), 0);
	rig_touch(&rig, "a", 1);
	rig_advance(&rig, 10000);
	CHECK_U64(fakeapi_revision(rig.f), 106);
	CHECK_U64(fakeapi_compacted(rig.f), 104);
	rig_advance(&rig, 60000);
	CHECK_U64(fakeapi_compacted(rig.f), 115);
	rig_release(&rig);
}

/* The loop runs where a server runs, and begins anew with the first one that comes up. */
static void a_start_begins_with_a_look(void)
{
	struct rig rig;
	compacting_init(&rig, "1.36");
	rig_fill(&rig);
	rig_advance(&rig, 9000);
	fakeapi_kill(rig.f);
	rig_advance(&rig, 59000);
	CHECK_U64(fakeapi_revision(rig.f), 104);
	CHECK_U64(fakeapi_compacted(rig.f), 0);
	fakeapi_start(rig.f);
	rig_advance(&rig, 64000);
	CHECK_U64(fakeapi_revision(rig.f), 105);
	CHECK_U64(fakeapi_compacted(rig.f), 0);
	rig_advance(&rig, 69000);
	CHECK_U64(fakeapi_compacted(rig.f), 105);
	rig_release(&rig);
}

/* What someone else compacts, servers with snapshots do not notice before they start again. */
static void foreign_compaction_is_noticed_at_a_start(void)
{
	struct rig rig;
	struct base_error error = {0};
	struct fakeapi_config config;
	memset(&rig, 0, sizeof rig);
	base_alloc_probe_init(&rig.probe);
	fakeapi_config_defaults(&config);
	config.alloc = &rig.probe.alloc;
	config.notice_ns = FAKEAPI_NEVER;
	rig.f = fakeapi_new(&config, &error);
	rig_fill(&rig);
	CHECK_INT(fakeapi_compact(rig.f, 0, &error), BASE_OK);
	CHECK_INT(exact_at(&rig, 120000), 200);
	fakeapi_kill(rig.f);
	fakeapi_start(rig.f);
	CHECK_INT(exact_at(&rig, 120001), 410);
	rig_release(&rig);
}

static void the_interval_may_change(void)
{
	struct rig rig;
	compacting_init(&rig, "1.36");
	rig_fill(&rig);
	rig_advance(&rig, 4000);
	fakeapi_set_compaction(rig.f, 5 * UINT64_C(1000000000)); /* the same */
	rig_advance(&rig, 5000);
	CHECK_U64(fakeapi_revision(rig.f), 104);
	fakeapi_set_compaction(rig.f, 2 * UINT64_C(1000000000));
	rig_advance(&rig, 7000);
	CHECK_U64(fakeapi_revision(rig.f), 105);
	CHECK_U64(fakeapi_compacted(rig.f), 0);
	fakeapi_set_compaction(rig.f, 0);
	rig_advance(&rig, 100000);
	CHECK_U64(fakeapi_revision(rig.f), 105);
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"the past goes two rounds later", the_past_goes_two_rounds_later},
	{"each round takes a revision", each_round_takes_a_revision},
	{"a start begins with a look", a_start_begins_with_a_look},
	{"foreign compaction is noticed at a start", foreign_compaction_is_noticed_at_a_start},
	{"the interval may change", the_interval_may_change},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_compactor_suite;
CU_SuiteInfo fakeapi_compactor_suite = {"fakeapi/compactor", NULL, NULL, NULL, NULL, tests};
