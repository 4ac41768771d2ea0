package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/net/http2"
)

// transport hands requests to the harness and waits for what it delivers.
type transport struct {
	tell     func(output)
	informer string
	nameOf   func(path string) string // of a client that several informers share; nil: informer's alone
	shared   *exchanges
}

// exchanges are the requests of the whole process that have not ended.
type exchanges struct {
	mu   sync.Mutex
	next int64
	open map[int64]*exchange
}

type exchange struct {
	id       int64
	ctx      context.Context
	tell     func(output)
	informer string
	head     chan result
	body     *body
	all      *exchanges
}

type result struct {
	response *http.Response
	err      error
}

func (x *exchanges) add(ctx context.Context, tell func(output)) *exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.next++
	e := &exchange{id: x.next, ctx: ctx, tell: tell, head: make(chan result, 1), all: x}
	e.body = &body{exchange: e}
	e.body.ready = sync.NewCond(&e.body.mu)
	x.open[e.id] = e
	return e
}

func (x *exchanges) get(id int64) *exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open[id]
}

func (x *exchanges) drop(id int64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.open[id]
	delete(x.open, id)
	return ok
}

// withoutProtobuf leaves the forms that the harness can read along; metadata clients prefer Protobuf, and no
// configuration keeps them from it.
func withoutProtobuf(accept string) string {
	var kept []string
	for _, form := range strings.Split(accept, ",") {
		if !strings.Contains(form, "protobuf") {
			kept = append(kept, form)
		}
	}
	return strings.Join(kept, ",")
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	// Go's own transport sends nothing for a request that has been dropped already.
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	e := t.shared.add(req.Context(), t.tell)
	e.informer = t.informer
	if t.nameOf != nil {
		e.informer = t.nameOf(req.URL.Path)
	}
	headers := map[string]string{}
	for name, values := range req.Header {
		if len(values) > 0 {
			headers[name] = values[0]
		}
	}
	headers["Accept"] = withoutProtobuf(headers["Accept"])
	t.tell(output{Ev: "req", Informer: e.informer, ID: e.id, Method: req.Method, Path: req.URL.EscapedPath(),
		Query: req.URL.Query().Encode(), Headers: headers})
	select {
	case r := <-e.head:
		if r.response != nil {
			r.response.Request = req
		}
		return r.response, r.err
	case <-req.Context().Done():
		if t.shared.drop(e.id) {
			t.tell(output{Ev: "cancel", Informer: e.informer, ID: e.id, Phase: "head"})
		}
		return nil, req.Context().Err()
	}
}

// frameError makes the errors of HTTP/2's frames, which client-go knows by type; nil: the text is none of them.
func frameError(text string) error {
	var id uint32
	var word string
	codes := []http2.ErrCode{http2.ErrCodeNo, http2.ErrCodeProtocol, http2.ErrCodeInternal,
		http2.ErrCodeRefusedStream, http2.ErrCodeCancel, http2.ErrCodeEnhanceYourCalm}
	if n, _ := fmt.Sscanf(text, "stream error: stream ID %d; %s", &id, &word); n == 2 {
		for _, code := range codes {
			err := http2.StreamError{StreamID: id, Code: code, Cause: errors.New("received from peer")}
			if text == err.Error() {
				return err
			}
		}
	}
	const goAway = "http2: server sent GOAWAY and closed the connection; LastStreamID=%d, ErrCode=%s"
	if n, _ := fmt.Sscanf(text, goAway, &id, &word); n == 2 {
		for _, code := range codes {
			err := http2.GoAwayError{LastStreamID: id, ErrCode: code}
			if text == err.Error() {
				return err
			}
		}
	}
	return nil
}

// errorOf makes the error that Go's own transport would give.
func errorOf(word, text string) error {
	switch word {
	case "refused":
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case "reset":
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	case "eof", "early-eof":
		return io.EOF
	case "cut":
		return io.ErrUnexpectedEOF
	case "timeout":
		return &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	case "connection-lost":
		return errors.New("http2: client connection lost")
	case "tls":
		return errors.New("remote error: tls: handshake failure")
	}
	if text == "" {
		text = word
	}
	if err := frameError(text); err != nil {
		return err
	}
	return errors.New(text)
}

// deliver applies what the harness sends to one exchange. What has ended meanwhile is dropped.
func (x *exchanges) deliver(d *delivery) {
	e := x.get(d.ID)
	if e == nil {
		return
	}
	switch {
	case d.Err != "":
		x.drop(d.ID)
		e.head <- result{err: errorOf(d.Err, d.Text)}
	case d.Status != 0:
		e.deliverHead(d)
	case d.Data != nil:
		e.body.add([]byte(*d.Data))
	case d.Data64 != nil:
		e.body.add(d.Data64)
	case d.Close != "":
		x.drop(d.ID)
		if d.Close == "eof" {
			e.body.end(io.EOF)
		} else if d.Close == "reset" {
			e.body.end(errorOf("reset", ""))
		} else {
			e.body.end(errorOf(d.Close, d.Text))
		}
	}
}

func (e *exchange) deliverHead(d *delivery) {
	header := http.Header{}
	for name, value := range d.Header {
		header.Set(name, value)
	}
	response := &http.Response{Status: strconv.Itoa(d.Status) + " " + http.StatusText(d.Status),
		StatusCode: d.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: e.body, ContentLength: -1}
	if text := header.Get("Content-Length"); text != "" {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			response.ContentLength = n
		}
	}
	if !d.Stream && d.Body != nil {
		e.body.add([]byte(*d.Body))
		response.ContentLength = int64(len(*d.Body))
	}
	if !d.Stream {
		e.all.drop(e.id)
		e.body.end(io.EOF)
	}
	context.AfterFunc(e.ctx, func() { e.body.end(e.ctx.Err()) })
	e.head <- result{response: response}
}

// body is a response body that fills as bytes are delivered.
type body struct {
	exchange *exchange
	mu       sync.Mutex
	ready    *sync.Cond
	bytes    []byte
	err      error
	closed   bool
}

func (b *body) add(bytes []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.bytes = append(b.bytes, bytes...)
		b.ready.Broadcast()
	}
}

func (b *body) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
		b.ready.Broadcast()
	}
}

func (b *body) Read(to []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.bytes) == 0 && b.err == nil && !b.closed {
		b.ready.Wait()
	}
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	// A dropped request reads nothing more, whatever has arrived.
	if b.err != nil && b.exchange.ctx.Err() != nil {
		return 0, b.exchange.ctx.Err()
	}
	if len(b.bytes) > 0 {
		n := copy(to, b.bytes)
		b.bytes = b.bytes[n:]
		return n, nil
	}
	return 0, b.err
}

func (b *body) Close() error {
	b.mu.Lock()
	first := !b.closed
	b.closed = true
	b.ready.Broadcast()
	b.mu.Unlock()
	if first && b.exchange.all.drop(b.exchange.id) {
		b.exchange.tell(output{Ev: "cancel", Informer: b.exchange.informer, ID: b.exchange.id, Phase: "body"})
	}
	return nil
}
