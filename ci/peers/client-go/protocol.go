package main

// The lines of the protocol. Times are nanoseconds since the first start.

type operation struct {
	Op string `json:"op"`

	// start
	Draw          string          `json:"draw"`
	Informer      string          `json:"informer"`
	Factory       string          `json:"factory"`
	Resource      resource        `json:"resource"`
	Mode          string          `json:"mode"`
	Namespace     string          `json:"namespace"`
	LabelSelector string          `json:"label_selector"`
	FieldSelector string          `json:"field_selector"`
	ResyncNs      int64           `json:"resync_ns"`
	Handlers      []handlerSpec   `json:"handlers"`
	Gates         map[string]bool `json:"gates"`
	PageSize      int64           `json:"page_size"`
	DropManaged   bool            `json:"drop_managed_fields"`
	DropData      bool            `json:"drop_data"`
	FailOn        string          `json:"fail_on"`

	// advance
	ToNs    int64      `json:"to_ns"`
	Deliver []delivery `json:"deliver"`

	// handler_add, handler_remove (Name of the handler)
	Handler handlerSpec `json:"handler"`
}

type resource struct {
	Group      string `json:"group"`
	Version    string `json:"version"`
	Resource   string `json:"resource"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
}

type handlerSpec struct {
	Name     string `json:"name"`
	ResyncNs *int64 `json:"resync_ns"` // absent: added without a period of its own
	SlowNs   int64  `json:"slow_ns"`
}

type delivery struct {
	ID     int64             `json:"id"`
	Err    string            `json:"err"`
	Text   string            `json:"text"`
	Status int               `json:"status"`
	Header map[string]string `json:"hdr"`
	Body   *string           `json:"body"`
	Stream bool              `json:"stream"`
	Data   *string           `json:"data"`
	Data64 []byte            `json:"data64"`
	Close  string            `json:"close"`
}

type output struct {
	Ev       string            `json:"ev"`
	Informer string            `json:"informer,omitempty"`
	Factory  string            `json:"factory,omitempty"`
	ID       int64             `json:"id,omitempty"`
	Method   string            `json:"method,omitempty"`
	Path     string            `json:"path,omitempty"`
	Query    string            `json:"query,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Phase    string            `json:"phase,omitempty"`
	Handler  string            `json:"handler,omitempty"`
	Key      string            `json:"key,omitempty"`
	UID      string            `json:"uid,omitempty"`
	RV       *string           `json:"rv,omitempty"`
	OldRV    string            `json:"old_rv,omitempty"`
	Seen     string            `json:"seen,omitempty"`
	Initial  bool              `json:"initial,omitempty"`
	Tomb     bool              `json:"tombstone,omitempty"`
	NoObject bool              `json:"no_object,omitempty"`
	Class    string            `json:"class,omitempty"`
	Text     string            `json:"text,omitempty"`
	N        int               `json:"n,omitempty"`
	V        string            `json:"v,omitempty"` // a draw: decimal, in [0, 2^63)
}

type hello struct {
	Client             string   `json:"client"`
	Version            string   `json:"version"`
	Language           string   `json:"language"`
	TimerGranularityNs int64    `json:"timer_granularity_ns"`
	Capabilities       []string `json:"capabilities"`
}

type item struct {
	Key string `json:"key"`
	UID string `json:"uid"`
	RV  string `json:"rv"`
}
