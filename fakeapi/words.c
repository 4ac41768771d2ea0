/* The words of the enums that observers get. */
#include "fakeapi/fakeapi.h"

const char *fakeapi_change_word(enum fakeapi_change_type type)
{
	static const char *const words[] = {[FAKEAPI_CHANGE_ADDED] = "ADDED",
					    [FAKEAPI_CHANGE_MODIFIED] = "MODIFIED",
					    [FAKEAPI_CHANGE_DELETED] = "DELETED"};
	return words[type];
}

const char *fakeapi_parsed_word(enum fakeapi_parsed parsed)
{
	static const char *const words[] = {
		[FAKEAPI_PARSED_LIST] = "list",
		[FAKEAPI_PARSED_WATCH] = "watch",
		[FAKEAPI_PARSED_WATCH_LIST] = "watchlist",
		[FAKEAPI_PARSED_GET] = "get",
		[FAKEAPI_PARSED_WRITE] = "write",
		[FAKEAPI_PARSED_OTHER] = "other",
	};
	return words[parsed];
}

const char *fakeapi_watch_end_word(enum fakeapi_watch_end end)
{
	static const char *const words[] = {
		[FAKEAPI_END_TIMEOUT] = "timeout",   [FAKEAPI_END_ERROR] = "error",
		[FAKEAPI_END_CLIENT] = "client",     [FAKEAPI_END_FAULT] = "fault",
		[FAKEAPI_END_STOP] = "stop",         [FAKEAPI_END_KILL] = "kill",
		[FAKEAPI_END_RESOURCE] = "resource", [FAKEAPI_END_MEMORY] = "memory",
		[FAKEAPI_END_SLOW] = "slow",
	};
	return words[end];
}

const char *fakeapi_balance_word(enum fakeapi_balance balance)
{
	static const char *const words[] = {[FAKEAPI_BALANCE_ROUND] = "round",
					    [FAKEAPI_BALANCE_STICKY] = "sticky",
					    [FAKEAPI_BALANCE_CLIENT] = "client"};
	return words[balance];
}

const char *fakeapi_move_word(enum fakeapi_move move)
{
	static const char *const words[] = {
		[FAKEAPI_MOVE_COMPACT] = "compact", [FAKEAPI_MOVE_NOTICE] = "notice",
		[FAKEAPI_MOVE_FORGET] = "forget",   [FAKEAPI_MOVE_LAG] = "lag",
		[FAKEAPI_MOVE_STOP] = "stop",       [FAKEAPI_MOVE_KILL] = "kill",
		[FAKEAPI_MOVE_START] = "start",     [FAKEAPI_MOVE_RESTORE] = "restore",
		[FAKEAPI_MOVE_PAUSE] = "pause",     [FAKEAPI_MOVE_RESUME] = "resume",
	};
	return words[move];
}
