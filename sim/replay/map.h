/* What may differ between two runs of one server, as maps from the recorded value to the played one.
 *
 * Revisions: any, but in the same order, and equal ones stay equal. Those of objects that differ stay
 * different; a list's or a bookmark's may come to equal its neighbour's, since the server's own writes
 * lie between them. Other values (uids, drawn names, ETags): any, one to one. A refused pair is not kept,
 * so that one wrong value does not condemn what follows. */
#ifndef SIM_REPLAY_MAP_H
#define SIM_REPLAY_MAP_H

#include "base/map.h"
#include "sim/replay/replay.h"

enum replay_rv {
	REPLAY_RV_OBJECT,
	REPLAY_RV_LIST, /* a list's, a bookmark's, a token's, or a number in a message */
};

struct replay_rv_pair {
	uint64_t recorded;
	uint64_t got,
		got_last; /* apart only where the server's own writes moved a list's version */
	uint64_t object;  /* what an object of that version had; 0: none was seen */
};

struct replay_map {
	struct replay_rv_pair *pairs; /* ascending by both */
	size_t count, cap;
	/* A real server writes by itself: lists of one recorded version may come to have several. */
	bool own_writes;
	struct base_map to_got, to_recorded; /* one-to-one values, each prefixed with its sort */
};

void replay_map_init(struct replay_map *map);
void replay_map_release(struct replay_map *map);
/* False with the reason (static text). */
bool replay_map_rv(struct replay_map *map, uint64_t recorded, uint64_t got, enum replay_rv what,
		   const char **why);
/* The first revision seen on each side; UINT64_MAX before there is one. */
uint64_t replay_map_first(const struct replay_map *map, bool recorded);
/* sort: one letter. */
bool replay_map_same(struct replay_map *map, char sort, struct base_str recorded,
		     struct base_str got);
/* The played value for a recorded one; empty when it has none. */
struct base_str replay_map_find(const struct replay_map *map, char sort, struct base_str recorded);

/* ---- Values, compared through the map (compare_text.c, compare_json.c) ---- */

#define REPLAY_SORT_UID 'u'
#define REPLAY_SORT_ETAG 'e'
#define REPLAY_SORT_DRAWN 'n'  /* names and addresses that the server drew */
#define REPLAY_SORT_SERVER 's' /* where the server itself listens */

struct replay_place {
	struct replay_map *map;
	const struct replay_recording
		*recording; /* its requests tell which values a client brought */
	struct replay_result *result;
	size_t entry;
	struct base_buf path;
};

bool replay_is_uuid(struct base_str text);
/* An RFC 3339 time; false: none. */
bool replay_is_time(struct base_str text);
/* Did a request of the recording bring this text? */
bool replay_is_brought(const struct replay_place *place, struct base_str text);
/* A value that is no message: equal, or both uids, times, drawn names. */
bool replay_text_value(struct replay_place *place, struct base_str recorded, struct base_str got);
/* Words equal; uids, times and numbers in it mapped. */
bool replay_text_message(struct replay_place *place, struct base_str recorded, struct base_str got);
/* Notes a difference at the present path. Long values are cut round the first byte that differs. */
void replay_differs(struct replay_place *place, struct base_str expected, struct base_str actual);
void replay_differs_at(struct replay_place *place, const char *path, struct base_str expected,
		       struct base_str actual);
/* Two JSON texts; both are proven. */
void replay_json(struct replay_place *place, struct base_str recorded, struct base_str got);

/* Two bodies of any kind (compare_body.c): JSON as structures, JSON lines as lines, gzip unpacked, the rest
 * as text. */
void replay_body(struct replay_place *place, const struct replay_answer *recorded,
		 const struct replay_answer *got);
/* A watch: lines, bookmarks, end, times (compare_stream.c). */
void replay_stream(struct replay_place *place, const struct replay_played *played);
/* JSON events one a line; true when all of the text is that. */
bool replay_is_lines(struct base_str text);
void replay_lines_text(struct replay_place *place, struct base_str recorded, struct base_str got);
/* Waits are within 20 % or 100 ms; what is under 250 ms on both sides has no rule. */
bool replay_same_wait(uint64_t recorded_ms, uint64_t got_ms);

/* ---- Encoded bodies (decode.c): false: not what it says ---- */

bool replay_gunzip(struct base_str bytes, struct base_buf *out);
/* Kubernetes' protobuf: bytes with its magic. */
bool replay_is_protobuf(struct base_str bytes);
/* Without a schema: fields in order; texts and numbers that may differ are mapped. */
void replay_protobuf(struct replay_place *place, struct base_str recorded, struct base_str got);
/* Events of a watch in protobuf, all in one body; bookmarks of the timer are not told apart. */
bool replay_is_protobuf_frames(struct base_str bytes);
void replay_protobuf_frames(struct replay_place *place, struct base_str recorded,
			    struct base_str got);

#endif
