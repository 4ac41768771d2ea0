/* The columns of Tables: data only. What a cell shows is an operation on a path of the object; those that
 * need more than that are functions of table_cells_*.c. Names and descriptions are those that the servers
 * send (1.36). */
#ifndef FAKEAPI_TABLE_COLUMNS_H
#define FAKEAPI_TABLE_COLUMNS_H

#include "base/buf.h"
#include "fakeapi/resource.h"

struct fakeapi_column;
struct fakeapi_cell {
	struct base_str object;
	int64_t now_s; /* Unix time */
};
/* Appends the cell's JSON value. */
typedef enum base_code fakeapi_cell_fn(const struct fakeapi_cell *cell,
				       const struct fakeapi_column *column, struct base_buf *out);

enum fakeapi_cell_op {
	FAKEAPI_CELL_TEXT,  /* the string at path, else the fallback (empty when there is none) */
	FAKEAPI_CELL_INT,   /* the number at path, else the fallback as text, else 0 */
	FAKEAPI_CELL_BOOL,  /* the truth value at path, else the fallback, else false */
	FAKEAPI_CELL_AGE,   /* the time since path, else the fallback, else <unknown> */
	FAKEAPI_CELL_COUNT, /* how many members or elements path has */
	FAKEAPI_CELL_FUNC,
};

struct fakeapi_column {
	const char *name, *type, *format, *description;
	int priority;
	bool hidden; /* a cell without a column */
	enum fakeapi_cell_op op;
	const char *path, *fallback; /* for functions: what each of them says */
	fakeapi_cell_fn *fn;
};

struct fakeapi_table_kind {
	const char *group, *plural;
	const struct fakeapi_column *columns;
	size_t count;
};

extern const struct fakeapi_table_kind fakeapi_table_core[];
extern const struct fakeapi_table_kind fakeapi_table_apps[];
extern const struct fakeapi_table_kind fakeapi_table_net[];
extern const struct fakeapi_table_kind fakeapi_table_rest[];

#define FAKEAPI_SAYS_NAME                                                                          \
	"Name must be unique within a namespace. Is required when creating resources, "            \
	"although some resources may allow a client to request the generation of an "              \
	"appropriate name automatically. Name is primarily intended for creation idempotence "     \
	"and configuration definition. Cannot be updated. More info: "                             \
	"https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
#define FAKEAPI_SAYS_CREATED                                                                       \
	"CreationTimestamp is a timestamp representing the server time when this object was "      \
	"created. It is not guaranteed to be set in happens-before order across separate "         \
	"operations. Clients may not set this value. It is represented in RFC3339 form and "       \
	"is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "            \
	"https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
#define FAKEAPI_SAYS_CONTAINERS "Names of each container in the template."
#define FAKEAPI_SAYS_IMAGES "Images referenced by each container in the template."

fakeapi_cell_fn fakeapi_cell_access_modes;
fakeapi_cell_fn fakeapi_cell_api_available;
fakeapi_cell_fn fakeapi_cell_api_service;
fakeapi_cell_fn fakeapi_cell_balancer;
fakeapi_cell_fn fakeapi_cell_bool_word;
fakeapi_cell_fn fakeapi_cell_claim_capacity;
fakeapi_cell_fn fakeapi_cell_claim_modes;
fakeapi_cell_fn fakeapi_cell_claim_state;
fakeapi_cell_fn fakeapi_cell_class_parameters;
fakeapi_cell_fn fakeapi_cell_condition;
fakeapi_cell_fn fakeapi_cell_containers;
fakeapi_cell_fn fakeapi_cell_controller;
fakeapi_cell_fn fakeapi_cell_count_two;
fakeapi_cell_fn fakeapi_cell_default_name;
fakeapi_cell_fn fakeapi_cell_endpoints;
fakeapi_cell_fn fakeapi_cell_event_count;
fakeapi_cell_fn fakeapi_cell_event_first;
fakeapi_cell_fn fakeapi_cell_event_last;
fakeapi_cell_fn fakeapi_cell_event_message;
fakeapi_cell_fn fakeapi_cell_event_object;
fakeapi_cell_fn fakeapi_cell_event_path;
fakeapi_cell_fn fakeapi_cell_event_source;
fakeapi_cell_fn fakeapi_cell_images;
fakeapi_cell_fn fakeapi_cell_ingress_hosts;
fakeapi_cell_fn fakeapi_cell_ingress_ports;
fakeapi_cell_fn fakeapi_cell_int_text;
fakeapi_cell_fn fakeapi_cell_job_completions;
fakeapi_cell_fn fakeapi_cell_job_duration;
fakeapi_cell_fn fakeapi_cell_job_status;
fakeapi_cell_fn fakeapi_cell_join;
fakeapi_cell_fn fakeapi_cell_labels;
fakeapi_cell_fn fakeapi_cell_node_address;
fakeapi_cell_fn fakeapi_cell_node_kernel;
fakeapi_cell_fn fakeapi_cell_node_roles;
fakeapi_cell_fn fakeapi_cell_node_status;
fakeapi_cell_fn fakeapi_cell_param_kind;
fakeapi_cell_fn fakeapi_cell_param_ref;
fakeapi_cell_fn fakeapi_cell_parent_ref;
fakeapi_cell_fn fakeapi_cell_phase;
fakeapi_cell_fn fakeapi_cell_pod_gates;
fakeapi_cell_fn fakeapi_cell_pod_ip;
fakeapi_cell_fn fakeapi_cell_pod_ready;
fakeapi_cell_fn fakeapi_cell_pod_restarts;
fakeapi_cell_fn fakeapi_cell_pod_status;
fakeapi_cell_fn fakeapi_cell_quota;
fakeapi_cell_fn fakeapi_cell_ratio;
fakeapi_cell_fn fakeapi_cell_request_duration;
fakeapi_cell_fn fakeapi_cell_request_status;
fakeapi_cell_fn fakeapi_cell_role;
fakeapi_cell_fn fakeapi_cell_scale_metrics;
fakeapi_cell_fn fakeapi_cell_scale_target;
fakeapi_cell_fn fakeapi_cell_selector;
fakeapi_cell_fn fakeapi_cell_service_external;
fakeapi_cell_fn fakeapi_cell_service_ip;
fakeapi_cell_fn fakeapi_cell_service_ports;
fakeapi_cell_fn fakeapi_cell_slice_addresses;
fakeapi_cell_fn fakeapi_cell_slice_ports;
fakeapi_cell_fn fakeapi_cell_storage_class;
fakeapi_cell_fn fakeapi_cell_subjects;
fakeapi_cell_fn fakeapi_cell_token_requests;
fakeapi_cell_fn fakeapi_cell_volume_claim;

/* A column's description, as a server of that minor says it (table_columns_old.c). */
const char *fakeapi_column_words(const struct fakeapi_resource *resource,
				 const struct fakeapi_column *column, unsigned minor);

#endif
