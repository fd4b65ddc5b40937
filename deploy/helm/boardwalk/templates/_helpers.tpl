{{- define "boardwalk.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end -}}
{{- end }}

{{- define "boardwalk.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "boardwalk.selector" . }}
{{- end }}

{{- define "boardwalk.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "boardwalk.secret" -}}
{{- required "existingSecret is not set. Make the secret that values.yaml describes, and name it." .Values.existingSecret }}
{{- end }}

{{/* One half of the service: a dict of `root`, `role` and `half`. */}}
{{- define "boardwalk.deployment" -}}
{{- $ := .root }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "boardwalk.name" $ }}-{{ .role }}
  labels:
    {{- include "boardwalk.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  replicas: {{ .half.replicas }}
  # One that is ready more, never one less: a rolling restart refuses nobody.
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels:
      {{- include "boardwalk.selector" $ | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "boardwalk.labels" $ | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "9464"
        {{- with $.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "boardwalk.name" $ }}
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: {{ $.Values.terminationGracePeriodSeconds }}
      {{- with $.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: {{ .role }}
          image: {{ printf "%s:%s" $.Values.image.repository ($.Values.image.tag | default $.Chart.AppVersion) | quote }}
          imagePullPolicy: {{ $.Values.image.pullPolicy }}
          args: [serve, --role, {{ .role }}]
          env:
            - { name: HOST, value: "0.0.0.0" }
            - { name: PORT, value: "8420" }
            - { name: METRICS_PORT, value: "9464" }
            {{- range $name, $value := $.Values.settings }}
            - { name: {{ $name }}, value: {{ $value | toString | quote }} }
            {{- end }}
          envFrom:
            - secretRef: { name: {{ include "boardwalk.secret" $ }} }
          ports:
            {{- if eq .role "web" }}
            - { name: http, containerPort: 8420 }
            {{- end }}
            - { name: metrics, containerPort: 9464 }
          startupProbe:
            httpGet: { path: /healthz, port: metrics }
            periodSeconds: 2
            failureThreshold: 30
          livenessProbe:
            httpGet: { path: /healthz, port: metrics }
            periodSeconds: 10
            failureThreshold: 3
          {{- if eq .role "web" }}
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            failureThreshold: 2
          {{- end }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          {{- with .half.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: {}
      {{- with $.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "boardwalk.selector" $ | nindent 14 }}
              app.kubernetes.io/component: {{ .role }}
{{- end }}
