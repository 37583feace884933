#!/usr/bin/env bash
# A worker in bash, with curl and jq. SVC_URL and SVC_TOKEN say where the runtime is. SIGTERM lets it
# finish its current item.
set -u
url=${SVC_URL:-http://127.0.0.1:7700}
worker=$(hostname)-$$

# Reads the input of the step from stdin and prints its output: an object. What ends with another
# code than 0 fails the attempt; the second argument is the idempotency key.
handle() {
  case $1 in
    numbers.square)
      jq '.value | if type == "number" then { square: (. * .) } else error("no number") end'
      ;;
    *)
      echo "there is no $1 here" >&2
      return 1
      ;;
  esac
}

# Posts stdin and prints the answer, then its status and Retry-After on a line of their own; 000: there
# was none. The token goes by a file, as others may see arguments.
post() {
  local answer
  answer=$(curl --silent --max-time "${2:-10}" --data-binary @- \
    --write-out '\n%{http_code} %header{retry-after}' \
    --config <(printf 'header = "%s"\n' 'content-type: application/json' \
      ${SVC_TOKEN:+"authorization: Bearer $SVC_TOKEN"}) "$url$1")
  # A proxy that answers for the runtime may say 200, too.
  if [[ $(status_of "$answer") == 200 ]] &&
    ! body_of "$answer" | jq --exit-status 'type == "object"' > /dev/null 2>&1; then
    answer=$'\n000'
  fi
  echo "$answer"
}

status_of() { tail -n 1 <<< "$1" | cut -d ' ' -f 1; }
body_of() { sed '$d' <<< "$1"; }

# Waits for the seconds that the answer asks for, and at least for so many.
rest() {
  local asked
  asked=$(tail -n 1 <<< "$2" | cut -s -d ' ' -f 2)
  [[ $asked =~ ^[0-9]+$ ]] || asked=0
  sleep $((asked > $1 ? asked : $1))
}
is_unknown() { [[ $1 == 000 || $1 == 408 || $1 == 429 || $1 == 5* ]]; }

# Sends the same again while nothing is known, unless the lease is lost meanwhile.
post_until_answered() {
  local body answer delay=1
  body=$(cat)
  while kill -0 "$heartbeats" 2> /dev/null; do
    answer=$(post "$1" <<< "$body")
    if ! is_unknown "$(status_of "$answer")"; then
      echo "$answer"
      return
    fi
    rest $delay "$answer"
    delay=$((delay < 5 ? delay + 1 : 5))
  done
  printf '{}\n409 '
}

# Ends when the lease is lost, or the worker has been killed.
keep_lease() {
  local status
  while sleep "$3" && kill -0 $$ 2> /dev/null; do
    status=$(status_of "$(jq -n --arg worker "$worker" --argjson fence "$2" \
      '{ worker_id: $worker, lease_fence: $fence }' | post "/work-items/$1/heartbeat")")
    [[ $status != 404 && $status != 409 ]] || return
  done
}

work_on() {
  local item=$1 id fence key tool output answer complaint
  id=$(jq -r .id <<< "$item")
  fence=$(jq -r .lease_fence <<< "$item")
  # Engines older than the member have none.
  key=$(jq -r '.idempotency_key // ""' <<< "$item")
  tool=$(jq -r '.payload | .module + "." + .function' <<< "$item")
  keep_lease "$id" "$fence" "$(jq '(.heartbeat_interval_ms // 10000) / 1000' <<< "$item")" > /dev/null 2>&1 &
  heartbeats=$!
  complaint=$(mktemp)
  if output=$(jq .payload.input <<< "$item" | handle "$tool" "$key" 2> "$complaint"); then
    : > "$complaint"
    answer=$(jq --argjson fence "$fence" --arg key "$key" \
      '{ output: ., state_patch: {}, lease_fence: $fence }
        + if $key == "" then {} else { idempotency_key: $key } end' <<< "$output" |
      post_until_answered "/work-items/$id/complete")
    case $(status_of "$answer") in
      400 | 413) body_of "$answer" | jq -r .error > "$complaint" ;;
    esac
  else
    [[ -s $complaint ]] || echo "$tool failed" > "$complaint"
  fi
  if [[ -s $complaint ]]; then
    jq -Rs --argjson fence "$fence" '{ error: ., lease_fence: $fence }' < "$complaint" |
      post_until_answered "/work-items/$id/fail" > /dev/null
  fi
  rm -f "$complaint"
  kill "$heartbeats" 2> /dev/null
  wait "$heartbeats" 2> /dev/null
}

stopping=
trap 'stopping=1' TERM INT
while [[ -z $stopping ]]; do
  asked_at=$SECONDS
  answer=$(jq -n --arg worker "$worker" \
    '{ worker_id: $worker, queue_types: ["python_tool"], tools: ["numbers.square"], wait_ms: 5000 }' |
    post /work-items/claim 15)
  status=$(status_of "$answer")
  if [[ $status == 200 ]]; then
    item=$(body_of "$answer" | jq -c 'select(.claimed) | .work_item')
    if [[ -n $item ]]; then
      work_on "$item"
    elif ((SECONDS - asked_at < 3)); then
      # A runtime that knows no `wait_ms` answers at once.
      sleep 1
    fi
  elif is_unknown "$status"; then
    rest 2 "$answer"
  else
    echo "the runtime refuses: $answer" >&2
    exit 1
  fi
done
exit 0
