#include "sim/tape/random_world.h"

#include <stdio.h>

#include "sim/fatal.h"

uint64_t world_below(struct world *w, uint64_t bound)
{
	return base_prng_below(w->random, bound);
}

bool world_chance(struct world *w, uint64_t percent)
{
	return base_prng_chance(w->random, percent, 100);
}

bool world_is_odd(struct world *w, uint64_t once_in)
{
	return base_prng_chance(w->random, w->odd, 100 * once_in);
}

void world_put(struct base_buf *out, const char *text)
{
	sim_must(base_buf_text(out, text));
}

uint64_t world_some_ns(struct world *w, uint64_t max_ms)
{
	if (w->on_grid)
		return world_below(w, max_ms / 100 + 1) * 100000000;
	w->ticks++;
	return world_below(w, max_ms + 1) * 1000000 + w->ticks * 2 + 1;
}

static void choose_kinds(struct world *w)
{
	const uint64_t draw = world_below(w, 100);

	w->flavour = draw < 60 ? SUBJECT_TYPED : draw < 85 ? SUBJECT_DYNAMIC : SUBJECT_METADATA;
	w->kind = "ConfigMap";
	w->api_version = w->list_version = "v1";
	w->list_kind = "ConfigMapList";
	if (w->flavour == SUBJECT_METADATA && world_chance(w, 80)) {
		w->kind = "PartialObjectMetadata";
		w->list_kind = "PartialObjectMetadataList";
		w->api_version = w->list_version = "meta.k8s.io/v1";
	}
}

void world_init(struct world *w, struct base_prng *random, struct base_buf *out)
{
	static const uint64_t degrees[] = {0, 20, 50, 100};
	static const uint64_t failing[] = {5, 20, 35, 70};

	*w = (struct world){.random = random, .out = out, .rv = 100};
	base_buf_init(&w->text, NULL, BASE_BUF_MAX_DEFAULT);
	choose_kinds(w);
	w->odd = degrees[world_below(w, 4)];
	w->failing = failing[world_below(w, 4)];
	w->splitting = world_chance(w, 20) ? 40 : 0;
	w->scattered = world_chance(w, 30);
	w->on_grid = world_chance(w, 20);
	const uint64_t full = world_chance(w, 20) ? 0 : 40;
	for (size_t i = 0; i < WORLD_NAMES_MAX; i++) {
		w->exists[i] = world_chance(w, full);
		w->versions[i] = w->exists[i] ? ++w->rv : 0;
	}
}

void world_release(struct world *w)
{
	base_buf_release(&w->text);
}

/* ---- Objects ---- */

size_t world_change(struct world *w, const char **type)
{
	const size_t name = (size_t)world_below(w, WORLD_NAMES_MAX);

	w->rv++;
	if (!w->exists[name]) {
		w->exists[name] = true;
		w->lives[name]++;
		*type = "ADDED";
	} else if (world_chance(w, 40)) {
		w->exists[name] = false;
		*type = "DELETED";
	} else {
		*type = "MODIFIED";
	}
	/* A server that lost something says another type than the client expects. */
	if (world_is_odd(w, 20))
		*type = world_chance(w, 50) ? "MODIFIED" : "DELETED";
	w->versions[name] = w->rv;
	return name;
}

void world_version(struct world *w, uint64_t version, char *out, size_t size)
{
	if (world_is_odd(w, 25))
		snprintf(out, size, "%llu", (unsigned long long)(version > 5 ? version - 5 : 1));
	else if (world_is_odd(w, 50))
		snprintf(out, size, "%s", "");
	else if (world_is_odd(w, 100))
		snprintf(out, size, "%s", "0");
	else if (world_is_odd(w, 100))
		snprintf(out, size, "v%llu", (unsigned long long)version);
	else
		snprintf(out, size, "%llu", (unsigned long long)version);
}

/* Members that a typed client cannot take, or takes though they look odd. Later ones of a name win. */
static const char *const odd_metadata[] = {
	",\"labels\":{\"a\":\"\\u00e9\\ud83d\\ude00\",\"b\":null}",
	",\"labels\":[]",
	",\"labels\":{\"a\":1}",
	",\"labels\":{\"\\ud800\":\"lone\"}",
	",\"annotations\":\"x\"",
	",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}",
	",\"ownerReferences\":[{}]",
	",\"ownerReferences\":{}",
	",\"ownerReferences\":[{\"uid\":5}]",
	",\"ownerReferences\":[null,{\"controller\":true}]",
	",\"creationTimestamp\":\"yesterday\"",
	",\"creationTimestamp\":\"\"",
	",\"deletionTimestamp\":\"2000-01-01T00:00:00.5+02:00\"",
	",\"deletionTimestamp\":null",
	",\"deletionGracePeriodSeconds\":30",
	",\"deletionGracePeriodSeconds\":\"30\"",
	",\"generation\":\"no number\"",
	",\"generation\":1.5",
	",\"generation\":1e3",
	",\"generation\":-0",
	",\"generation\":99999999999999999999",
	",\"generation\":9223372036854775807",
	",\"generation\":null",
	",\"name\":\"cm-99\"",
	",\"name\":\"\"",
	",\"name\":null",
	",\"namespace\":\"\"",
	",\"namespace\":\"a/b\"",
	",\"resourceVersion\":7",
	",\"resourceVersion\":null",
	",\"uid\":7",
	",\"selfLink\":5",
	",\"finalizers\":\"no list\"",
	",\"finalizers\":[1]",
	",\"finalizers\":[\"a\",null]",
	",\"generateName\":\"g-\"",
	",\"managedFields\":[{\"manager\":\"m\",\"operation\":\"Update\",\"fieldsV1\":{\"f:a\":{}}}]",
	",\"managedFields\":[{\"time\":\"x\"}]",
	",\"managedFields\":[{\"fieldsV1\":5}]",
	",\"managedFields\":{}",
	",\"unheardOf\":[{}]",
};

static const char *const odd_data[] = {
	"\"data\":null",
	"\"data\":[]",
	"\"data\":{\"k\":5}",
	"\"data\":{\"k\":null}",
	"\"data\":{\"k\":\"a\",\"k\":\"b\"}",
	"\"data\":{\"k\":\"a \\u003c \xc3\xa9 \\n\\t\\\\ z\"},\"more\":[1.5e3,{}]",
	"\"data\":{\"k\":\"\\u0000\\ufffd\"}",
	"\"binaryData\":{\"b\":\"AAA=\"}",
	"\"binaryData\":{\"b\":\"no base64!\"}",
	"\"binaryData\":{\"b\":null}",
	"\"immutable\":true",
	"\"immutable\":\"yes\"",
	"\"immutable\":null",
	"\"metadata\":{\"name\":\"twice\",\"namespace\":\"default\",\"resourceVersion\":\"77\"}",
	"\"metadata\":null",
	"\"metadata\":[]",
	"\"kind\":\"Secret\"",
	"\"items\":[]",
	"\"items\":7",
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static void put_metadata(struct world *w, size_t name, const char *rv)
{
	sim_must(base_buf_printf(&w->text, "{\"name\":\"cm-%02zu\"", name));
	if (!w->scattered || name % 4 == 0)
		world_put(&w->text, ",\"namespace\":\"default\"");
	else if (name % 4 != 1)
		sim_must(base_buf_printf(&w->text, ",\"namespace\":\"ns-%zu\"", name % 4));
	sim_must(base_buf_printf(&w->text, ",\"uid\":\"uid-%02zu-%u\"", name, w->lives[name]));
	if (rv != NULL)
		sim_must(base_buf_printf(&w->text, ",\"resourceVersion\":\"%s\"", rv));
	world_put(&w->text, ",\"creationTimestamp\":\"2000-01-01T00:00:00Z\"");
	if (world_is_odd(w, 15))
		world_put(&w->text, odd_metadata[world_below(w, COUNT(odd_metadata))]);
	world_put(&w->text, "}");
}

void world_put_object(struct world *w, const char *kind, size_t name, const char *rv)
{
	sim_must(base_buf_printf(&w->text, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":",
				 kind, w->api_version));
	put_metadata(w, name, rv);
	if (world_is_odd(w, 20))
		sim_must(base_buf_printf(&w->text, ",%s}",
					 odd_data[world_below(w, COUNT(odd_data))]));
	else
		sim_must(base_buf_printf(&w->text, ",\"data\":{\"k\":\"v%s\"}}",
					 rv != NULL ? rv : ""));
}

/* ---- Lists ---- */

static const char *const odd_items[] = {"null",
					"null",
					"{}",
					"7",
					"[]",
					"\"text\"",
					"{\"metadata\":{}}",
					"{\"kind\":\"K\"}",
					"{\"kind\":\"Secret\",\"apiVersion\":\"v1\"}"};

static void put_items(struct world *w)
{
	const size_t from = world_chance(w, 10) ? (size_t)world_below(w, WORLD_NAMES_MAX) : 0;
	bool first = true;
	char version[32];

	for (size_t i = from; i < WORLD_NAMES_MAX; i++) {
		/* one item once more: the next loop sees the same name */
		const size_t times = !w->exists[i] ? 0 : world_is_odd(w, 20) ? 2 : 1;

		for (size_t k = 0; k < times; k++) {
			world_put(&w->text, first ? "" : ",");
			first = false;
			world_version(w, w->versions[i], version, sizeof(version));
			world_put_object(w, world_is_odd(w, 80) ? "Secret" : w->kind, i, version);
		}
	}
	if (world_is_odd(w, 60))
		sim_must(base_buf_printf(&w->text, "%s%s", first ? "" : ",",
					 odd_items[world_below(w, COUNT(odd_items))]));
}

void world_put_list(struct world *w)
{
	const char *kind = w->list_kind, *type;
	char version[32];

	if (world_is_odd(w, 25))
		kind = world_chance(w, 50) ? "SecretList" : "NoSuchList";
	for (uint64_t n = world_below(w, 5); n > 0; n--)
		(void)world_change(w, &type);
	world_version(w, w->rv, version, sizeof(version));
	sim_must(base_buf_printf(&w->text, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{",
				 kind, w->list_version));
	sim_must(base_buf_printf(&w->text, "\"resourceVersion\":\"%s\"", version));
	if (world_chance(w, 15))
		sim_must(base_buf_printf(
			&w->text, ",\"continue\":\"tok%llu\",\"remainingItemCount\":%llu",
			(unsigned long long)w->rv, (unsigned long long)world_below(w, 9)));
	world_put(&w->text, "}");
	if (world_is_odd(w, 12)) {
		world_put(&w->text, world_chance(w, 50) ? ",\"items\":null}" : "}");
		return;
	}
	world_put(&w->text, ",\"items\":[");
	put_items(w);
	world_put(&w->text, "]}");
}
