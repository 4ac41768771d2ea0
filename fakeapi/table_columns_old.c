/* Data: what older servers said about columns, where they said something else. */
#include "fakeapi/table_columns.h"

static const struct {
	const char *plural, *column;
	unsigned until; /* the last minor */
	const char *description;
} rows[] = {
	{"daemonsets", "Ready", 35,
	 "The number of nodes that should be running the daemon pod and have one or "
	 "more of the daemon pod running and ready."},
	{"daemonsets", "Selector", 35,
	 "A label query over pods that are managed by the daemon set. Must match in "
	 "order to be controlled. If empty, defaulted to labels on Pod template. More "
	 "info: "
	 "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors"},
	{"deployments", "Available", 32,
	 "Total number of available pods (ready for at least minReadySeconds) targeted "
	 "by this deployment."},
	{"deployments", "Selector", 35,
	 "Label selector for pods. Existing ReplicaSets whose pods are selected by this "
	 "will be the ones affected by this deployment."},
	{"deployments", "Up-to-date", 32,
	 "Total number of non-terminated pods targeted by this deployment that have the "
	 "desired template spec."},
	{"endpointslices", "AddressType", 35,
	 "addressType specifies the type of address carried by this EndpointSlice. All "
	 "addresses in this slice must be the same type. This field is immutable after "
	 "creation. The following address types are currently supported: * IPv4: "
	 "Represents an IPv4 Address. * IPv6: Represents an IPv6 Address. * FQDN: "
	 "Represents a Fully Qualified Domain Name."},
	{"endpointslices", "Ports", 35,
	 "ports specifies the list of network ports exposed by each endpoint in this "
	 "slice. Each port must have a unique name. When ports is empty, it indicates "
	 "that there are no defined ports. When a port is defined with a nil port "
	 "value, it indicates \"all ports\". Each slice may include a maximum of 100 "
	 "ports."},
	{"networkpolicies", "Pod-Selector", 35,
	 "Selects the pods to which this NetworkPolicy object applies.  The array of "
	 "ingress rules is applied to any pods selected by this field. Multiple network "
	 "policies can select the same set of pods.  In this case, the ingress rules "
	 "for each are combined additively. This field is NOT optional and follows "
	 "standard label selector semantics. An empty podSelector matches all pods in "
	 "this namespace."},
	{"replicasets", "Current", 32,
	 "Replicas is the most recently observed number of replicas. More info: "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/#what-is-a-replicationcontroller"},
	{"replicasets", "Desired", 32,
	 "Replicas is the number of desired replicas. This is a pointer to distinguish "
	 "between explicit zero and unspecified. Defaults to 1. More info: "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/#what-is-a-replicationcontroller"},
	{"replicasets", "Ready", 32, "The number of ready replicas for this replica set."},
	{"replicasets", "Selector", 35,
	 "Selector is a label query over pods that should match the replica count. If "
	 "the selector is empty, it is defaulted to the labels present on the pod "
	 "template. Label keys and values that must match in order to be controlled by "
	 "this replica set. More info: "
	 "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors"},
};

const char *fakeapi_column_words(const struct fakeapi_resource *resource,
				 const struct fakeapi_column *column, unsigned minor)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (minor <= rows[i].until && !resource->custom &&
		    strcmp(rows[i].plural, resource->plural) == 0 &&
		    strcmp(rows[i].column, column->name) == 0)
			return rows[i].description;
	return column->description;
}
