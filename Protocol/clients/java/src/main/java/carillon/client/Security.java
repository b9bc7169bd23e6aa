package carillon.client;

/** Whether connections are protected by TLS (CONTRACT.md, TLS-1). A Unix socket has none. */
public enum Security {
    /** Plaintext to loopback if nothing of TLS is configured, else TLS. */
    AUTO,
    /** Always TLS. */
    TLS,
    /** Plaintext, to loopback only. */
    PLAINTEXT,
    /** Plaintext, to any address. */
    PLAINTEXT_ANYWHERE
}
