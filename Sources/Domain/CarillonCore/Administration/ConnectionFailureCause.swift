/// The cause of a failure to connect to a provider: a short word, for metrics and programs.
public struct ConnectionFailureCause: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word in metrics and JSON, such as `certificate-expired`.
    public let rawValue: String

    /// Makes a cause; a server may send one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// DNS did not name an address.
    public static let dns = ConnectionFailureCause(rawValue: "dns")
    /// The machine or a firewall has refused the connection.
    public static let refused = ConnectionFailureCause(rawValue: "refused")
    /// There was no answer in time.
    public static let timeout = ConnectionFailureCause(rawValue: "timeout")
    /// Another error of the network.
    public static let network = ConnectionFailureCause(rawValue: "network")
    /// The connection was closed before it worked.
    public static let closed = ConnectionFailureCause(rawValue: "closed")
    /// The HTTP proxy has refused, or did not answer as a proxy.
    public static let proxy = ConnectionFailureCause(rawValue: "proxy")
    /// The certificate of the provider has expired, or the clock of this machine is wrong.
    public static let certificateExpired = ConnectionFailureCause(rawValue: "certificate-expired")
    /// The certificate of the provider is not valid yet, or the clock of this machine is wrong.
    public static let certificateNotYetValid = ConnectionFailureCause(rawValue: "certificate-not-yet-valid")
    /// The certificate of the provider is for another name.
    public static let certificateName = ConnectionFailureCause(rawValue: "certificate-name")
    /// No known authority has signed the certificate of the provider: does a proxy decrypt TLS?
    public static let certificateIssuer = ConnectionFailureCause(rawValue: "certificate-issuer")
    /// The certificate of the provider has another fault.
    public static let certificate = ConnectionFailureCause(rawValue: "certificate")
    /// The provider has ended TLS with an alert: it may not accept the certificate of the credential.
    public static let tlsAlert = ConnectionFailureCause(rawValue: "tls-alert")
    /// TLS has failed in another way.
    public static let tls = ConnectionFailureCause(rawValue: "tls")
    /// The peer does not speak HTTP/2, or not correctly.
    public static let http2 = ConnectionFailureCause(rawValue: "http2")
    /// Another fault.
    public static let other = ConnectionFailureCause(rawValue: "other")

    /// The causes that this version knows.
    package static let all: [ConnectionFailureCause] = [
        .dns, .refused, .timeout, .network, .closed, .proxy, .certificateExpired, .certificateNotYetValid,
        .certificateName, .certificateIssuer, .certificate, .tlsAlert, .tls, .http2, .other,
    ]

    /// The word, as `rawValue`.
    public var description: String { rawValue }
}
