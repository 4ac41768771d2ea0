# Sourced by the scripts that run a test suite in parts and add the parts up.
#
#   parts_start DIR
#   part NAME COMMAND...     runs it with its output in DIR/NAME.log; shows the log when it fails
#   parts_end                the sum; its status says whether all passed
#
# The lines kept of a failed part's log are at most PARTS_LINES (default 400).

parts_start() {
	parts_dir=$1
	rm -rf "$parts_dir"
	mkdir -p "$parts_dir"
	: >"$parts_dir/order"
}

part() {
	part_name=$1
	shift
	echo "$part_name" >>"$parts_dir/order"
	printf -- '== %s\n' "$part_name"
	part_start=$(date +%s)
	"$@" >"$parts_dir/$part_name.log" 2>&1 </dev/null
	part_code=$?
	echo "$part_code" >"$parts_dir/$part_name.code"
	part_seconds=$(($(date +%s) - part_start))
	if [ "$part_code" -ne 0 ]; then
		tail -n "${PARTS_LINES:-400}" "$parts_dir/$part_name.log"
		printf -- '-- %s failed (exit %d, %d s)\n' "$part_name" "$part_code" "$part_seconds"
	else
		printf -- '-- %s (%d s)\n' "$(tail -n 1 "$parts_dir/$part_name.log")" "$part_seconds"
	fi
}

parts_end() {
	printf -- '== sum\n'
	sh ci/sum "$parts_dir"
}
