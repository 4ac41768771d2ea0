// The client-go peer: the real informers of client-go on virtual time, driven line by line.
//
// It speaks the lockstep protocol (ci/peers/README.md) on stdin and stdout. Everything runs inside one
// testing/synctest bubble: its clock moves only while the main goroutine waits for it in advance, and a
// read of stdin lets no time pass.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
)

func main() {
	// Inside a bubble, whatever its function starts belongs to it; leaving the process ends all at once.
	synctest.Test(new(testing.T), func(*testing.T) {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, "client-go peer:", err)
			os.Exit(1)
		}
		os.Exit(0)
	})
}

// serve answers each line with exactly one line.
func serve() error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	p := newPeer()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("stdin ended without quit: %w", err)
		}
		var op operation
		if err := json.Unmarshal(line, &op); err != nil {
			return fmt.Errorf("a line that is no operation: %w", err)
		}
		if op.Op == "quit" {
			return nil
		}
		reply, err := p.do(&op)
		if err != nil {
			reply = map[string]string{"error": err.Error()}
		}
		text, err := json.Marshal(reply)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}
