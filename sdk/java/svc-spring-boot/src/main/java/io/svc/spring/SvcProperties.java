package io.svc.spring;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties {@code spring.svc.*}. */
@ConfigurationProperties("spring.svc")
public class SvcProperties {
  /** Address of the svc runtime, such as http://localhost:7700. */
  private String runtimeUrl;

  /** Token for runtimes that require authentication. */
  private String apiToken;

  /** Tenant that the calls belong to, where the token may name one. */
  private String tenantId;

  /** Whether any component of the integration is registered. */
  private boolean durabilityEnabled = true;

  /** Longest time to connect to the runtime. */
  private int connectTimeoutSeconds = 10;

  /** Longest time to wait for an answer of the runtime. */
  private int readTimeoutSeconds = 120;

  private final Audit audit = new Audit();
  private final Approval approval = new Approval();
  private final Observability observability = new Observability();

  public String getRuntimeUrl() {
    return runtimeUrl;
  }

  public void setRuntimeUrl(String runtimeUrl) {
    this.runtimeUrl = runtimeUrl;
  }

  public String getApiToken() {
    return apiToken;
  }

  public void setApiToken(String apiToken) {
    this.apiToken = apiToken;
  }

  public String getTenantId() {
    return tenantId;
  }

  public void setTenantId(String tenantId) {
    this.tenantId = tenantId;
  }

  public boolean isDurabilityEnabled() {
    return durabilityEnabled;
  }

  public void setDurabilityEnabled(boolean durabilityEnabled) {
    this.durabilityEnabled = durabilityEnabled;
  }

  public int getConnectTimeoutSeconds() {
    return connectTimeoutSeconds;
  }

  public void setConnectTimeoutSeconds(int connectTimeoutSeconds) {
    this.connectTimeoutSeconds = connectTimeoutSeconds;
  }

  public int getReadTimeoutSeconds() {
    return readTimeoutSeconds;
  }

  public void setReadTimeoutSeconds(int readTimeoutSeconds) {
    this.readTimeoutSeconds = readTimeoutSeconds;
  }

  public Audit getAudit() {
    return audit;
  }

  public Approval getApproval() {
    return approval;
  }

  public Observability getObservability() {
    return observability;
  }

  /** What is kept of prompts and responses. */
  public static class Audit {
    /** Whether prompts and responses are recorded as events of the execution. */
    private boolean enabled = true;

    /** Whether events of prompts contain the text. */
    private boolean includePrompts = true;

    /** Whether events of responses contain the text. */
    private boolean includeResponses = true;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public boolean isIncludePrompts() {
      return includePrompts;
    }

    public void setIncludePrompts(boolean includePrompts) {
      this.includePrompts = includePrompts;
    }

    public boolean isIncludeResponses() {
      return includeResponses;
    }

    public void setIncludeResponses(boolean includeResponses) {
      this.includeResponses = includeResponses;
    }
  }

  /** How calls wait for a person. */
  public static class Approval {
    /** Whether calls with svc.approval.required wait for a decision, and the endpoints exist. */
    private boolean enabled;

    /** Address that is sent a message for each call that waits. */
    private String webhookUrl;

    /** Longest wait for a decision, such as 90s, 30m or 2h. */
    private Duration timeout = Duration.ofMinutes(30);

    /** Decision that applies when the timeout elapses. */
    private Decision defaultDecision = Decision.REJECTED;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public String getWebhookUrl() {
      return webhookUrl;
    }

    public void setWebhookUrl(String webhookUrl) {
      this.webhookUrl = webhookUrl;
    }

    public Duration getTimeout() {
      return timeout;
    }

    public void setTimeout(Duration timeout) {
      this.timeout = timeout;
    }

    public Decision getDefaultDecision() {
      return defaultDecision;
    }

    public void setDefaultDecision(Decision defaultDecision) {
      this.defaultDecision = defaultDecision;
    }
  }

  /** What the integration measures. */
  public static class Observability {
    /** Whether meters are registered. */
    private boolean micrometer = true;

    /** First part of the names of the meters. */
    private String metricPrefix = "svc";

    /** Whether spans are made with OpenTelemetry. */
    private boolean opentelemetry;

    public boolean isMicrometer() {
      return micrometer;
    }

    public void setMicrometer(boolean micrometer) {
      this.micrometer = micrometer;
    }

    public String getMetricPrefix() {
      return metricPrefix;
    }

    public void setMetricPrefix(String metricPrefix) {
      this.metricPrefix = metricPrefix;
    }

    public boolean isOpentelemetry() {
      return opentelemetry;
    }

    public void setOpentelemetry(boolean opentelemetry) {
      this.opentelemetry = opentelemetry;
    }
  }

  /** What a reviewer may decide. */
  public enum Decision {
    /** The call goes to the model. */
    APPROVED,
    /** The call fails with {@link ApprovalRejectedException}. */
    REJECTED;

    /**
     * The name in requests.
     *
     * @return {@code approved} or {@code rejected}
     */
    public String wireName() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}
