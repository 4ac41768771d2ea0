package main

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"golang.org/x/net/http2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// tooLarge: the server is behind the version that was asked for. An old server says it in words only, and
// client-go believes those of an error that nothing was put in front of.
func tooLarge(err error) bool {
	if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return true
	}
	status, ok := err.(apierrors.APIStatus)
	return ok && apierrors.IsTimeout(err) && strings.Contains(status.Status().Message, "Too large resource version")
}

// classOf names an error as the harness does: the first class that holds.
func classOf(err error) string {
	var status apierrors.APIStatus
	var short *cache.VeryShortWatchError
	var timeout net.Error
	var stream http2.StreamError
	var goAway http2.GoAwayError
	text := err.Error()
	switch {
	case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
		return "expired"
	case tooLarge(err):
		return "too-large-version"
	case apierrors.IsTooManyRequests(err):
		return "too-many-requests"
	case apierrors.IsInternalError(err):
		return "internal"
	case apierrors.IsTimeout(err):
		return "server-timeout"
	case errors.As(err, &status):
		return "status"
	case errors.As(err, &short):
		return "very-short-watch"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.As(err, &stream), errors.As(err, &goAway):
		return "transport"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected-eof"
	case errors.Is(err, io.EOF):
		return "eof"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "net-timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case strings.Contains(text, "client connection lost"):
		return "connection-lost"
	case strings.Contains(text, "tls: "):
		return "tls"
	case strings.Contains(text, "unable to sync list result"):
		return "store"
	case strings.Contains(text, "cannot unmarshal"), strings.Contains(text, "json parse error"),
		strings.Contains(text, "unable to decode"), strings.Contains(text, "no stream serializers"):
		return "decode"
	}
	return "other"
}
