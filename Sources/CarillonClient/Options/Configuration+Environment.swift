#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension CarillonClient.Configuration {
    /// Makes a configuration from environment variables. An empty variable counts as missing.
    ///
    /// `CARILLON_SERVER` (addresses, separated by commas; else `127.0.0.1:7474`), `CARILLON_API_KEY_FILE`, else
    /// `CARILLON_API_KEY`, `CARILLON_APP` (the default app), `CARILLON_CA_FILE`, `CARILLON_CERTIFICATE_FILE` with
    /// `CARILLON_CERTIFICATE_KEY_FILE`, and `CARILLON_SECURITY`: `auto`, `tls`, `plaintext` or `plaintext_anywhere`.
    ///
    /// - Parameter variables: nil: those of this process.
    /// - Throws: `INVALID_ARGUMENT`; the field is the name of the variable.
    public static func fromEnvironment(
        _ variables: [String: String]? = nil
    ) throws(CarillonError) -> CarillonClient.Configuration {
        func value(_ name: String) -> String? {
            let text = variables.map { $0[name] } ?? getenv(name).map { String(cString: $0) }
            return text?.isEmpty == false ? text : nil
        }
        func fault(_ name: String, _ text: String) -> CarillonError {
            CarillonError(.invalidArgument, field: name, message: text)
        }
        var addresses: [Address] = []
        do throws(CarillonError) {
            addresses = try Self.addresses(value("CARILLON_SERVER") ?? "127.0.0.1:7474")
        } catch {
            throw fault("CARILLON_SERVER", error.message)
        }
        var configuration = Self(addresses: addresses)
        if let path = value("CARILLON_API_KEY_FILE") {
            configuration.apiKey = .file(path)
        } else if let key = value("CARILLON_API_KEY") {
            guard (1...256).contains(key.utf8.count) else {
                throw fault("CARILLON_API_KEY", "a key has 1 to 256 bytes")
            }
            configuration.apiKey = .value(key)
        }
        if let name = value("CARILLON_APP") {
            guard let app = AppID(name) else { throw fault("CARILLON_APP", "'\(name)' is no bundle id") }
            configuration.defaultApp = app
        }
        let chain = value("CARILLON_CERTIFICATE_FILE")
        let key = value("CARILLON_CERTIFICATE_KEY_FILE")
        guard (chain == nil) == (key == nil) else {
            throw fault("CARILLON_CERTIFICATE_KEY_FILE", "the certificate and its key belong together")
        }
        let authorities = value("CARILLON_CA_FILE").map { PEM.file($0) }
        var identity: ClientCertificate?
        if let chain, let key { identity = ClientCertificate(chain: .file(chain), key: .file(key)) }
        let asksForTLS = authorities != nil || identity != nil
        let tls = Security.tls(authorities: authorities, clientCertificate: identity)
        switch value("CARILLON_SECURITY") ?? "auto" {
        case "auto": configuration.security = asksForTLS ? tls : .automatic
        case "tls": configuration.security = tls
        case "plaintext": configuration.security = .plaintext
        case "plaintext_anywhere": configuration.security = .plaintextAnywhere
        case let other:
            throw fault(
                "CARILLON_SECURITY", "'\(other)' is none of auto, tls, plaintext and plaintext_anywhere")
        }
        return configuration
    }
}
