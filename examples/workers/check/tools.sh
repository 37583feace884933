# The tools of `svc worker check`, for the worker of `examples/workers/shell`.
handle() {
  case $1 in
    check.echo) cat ;;
    check.call)
      jq -n --arg call "$(cat /proc/sys/kernel/random/uuid)" --arg key "$2" \
        '{ call: $call, idempotency_key: $key }'
      ;;
    check.fail)
      jq -r .message >&2
      return 1
      ;;
    check.slow)
      sleep "$(jq '.ms / 1000')"
      echo '{}'
      ;;
    *)
      echo "there is no $1 here" >&2
      return 1
      ;;
  esac
}
