{{/*
A Deployment of one role. Takes root, component (api or scheduler), values (those of the role),
opsPort, and for the api apiPort and how long it serves on when it is asked to stop. Settings come as plain variables of the pod, so that a
changed one rolls the pods, and the migration, which runs before anything else is there, has the same.
*/}}
{{- define "svc.deployment" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $name := printf "%s-%s" (include "svc.fullname" $root) .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "svc.labels" . | nindent 4 }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "svc.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "svc.labels" . | nindent 8 }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "svc.podBasics" $root | nindent 6 }}
      serviceAccountName: {{ include "svc.serviceAccountName" $root }}
      # The process ends by itself 5 s after its deadline at the latest.
      terminationGracePeriodSeconds: {{ add (default 0 .drainDelay) $root.Values.shutdown.deadlineSeconds 10 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "svc.selectorLabels" . | nindent 14 }}
      {{- with $values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      containers:
        - name: {{ .component }}
          command: [svc-{{ .component }}]
          {{- include "svc.containerBasics" $root | nindent 10 }}
          {{- with $root.Values.envFrom }}
          envFrom:
            {{- range . }}
            - secretRef:
                name: {{ . }}
            {{- end }}
          {{- end }}
          env:
            - name: SVC_DATABASE_URL
              valueFrom:
                secretKeyRef:
                  name: {{ $root.Values.database.secret.name }}
                  key: {{ $root.Values.database.secret.key }}
            - name: SVC_DATABASE_AUTO_MIGRATE
              value: 'false'
            - name: SVC_BIND
              value: 0.0.0.0
            {{- if .apiPort }}
            - name: SVC_PORT
              value: {{ .apiPort | quote }}
            - name: SVC_API_DRAIN_DELAY_SECONDS
              value: {{ .drainDelay | quote }}
            {{- end }}
            - name: SVC_TELEMETRY_METRICS_PORT
              value: {{ .opsPort | quote }}
            - name: SVC_SCHEDULER_SHUTDOWN_DEADLINE_SECONDS
              value: {{ $root.Values.shutdown.deadlineSeconds | quote }}
            {{- with include "svc.env" (merge (dict) $values.env $root.Values.env) }}
            {{- . | nindent 12 }}
            {{- end }}
          ports:
            {{- if .apiPort }}
            - name: http
              containerPort: {{ .apiPort }}
            {{- end }}
            - name: ops
              containerPort: {{ .opsPort }}
          # The listener of the probes comes last in a start, which may wait a minute for the database.
          startupProbe:
            httpGet: { path: /health, port: ops }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 60
          # Stays well while the database is away: a restart would not bring it back.
          livenessProbe:
            httpGet: { path: /health, port: ops }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /ready, port: ops }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          resources:
            {{- toYaml $values.resources | nindent 12 }}
{{- end -}}

{{/* What every pod has, that of the migration too. */}}
{{- define "svc.podBasics" -}}
automountServiceAccountToken: false
# A service called svc would be announced to its pods as SVC_PORT, which is a setting.
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- end -}}

{{- define "svc.containerBasics" -}}
image: {{ include "svc.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
{{- end -}}

{{/* Variables by name, in the order of their names. */}}
{{- define "svc.env" -}}
{{- range $index, $name := keys . | sortAlpha }}
{{- if $index }}{{ "\n" }}{{ end -}}
- name: {{ $name }}
  value: {{ get $ $name | toString | quote }}
{{- end }}
{{- end -}}
