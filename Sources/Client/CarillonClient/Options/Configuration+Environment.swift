#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads a configuration from environment variables.
extension CarillonClient.Configuration {
    /// Makes a configuration from environment variables. An empty variable counts as missing.
    ///
    /// `CARILLON_SERVER` (addresses, separated by commas; else `127.0.0.1:7474`), `CARILLON_API_KEY_FILE`, else
    /// `CARILLON_API_KEY`, `CARILLON_APP` (the default app), `CARILLON_CA_FILE`, `CARILLON_CERTIFICATE_FILE` with
    /// `CARILLON_CERTIFICATE_KEY_FILE`, and `CARILLON_SECURITY`: `auto`, `tls`, `plaintext` or `plaintext_anywhere`.
    ///
    /// - Parameter variables: nil for the variables of this process.
    /// - Throws: `.invalidArgument`; the field is the name of the variable.
    public static func fromEnvironment(
        _ variables: [String: String]? = nil
    ) throws(CarillonError) -> CarillonClient.Configuration {
        let environment = EnvironmentVariables(variables: variables)
        var addresses: [Address] = []
        do throws(CarillonError) {
            addresses = try Self.addresses(environment["CARILLON_SERVER"] ?? "127.0.0.1:7474")
        } catch {
            throw environment.fault(in: "CARILLON_SERVER", error.message)
        }
        var configuration = Self(addresses: addresses)
        if let path = environment["CARILLON_API_KEY_FILE"] {
            configuration.apiKey = .file(path)
        } else if let key = environment["CARILLON_API_KEY"] {
            guard (1...256).contains(key.utf8.count) else {
                throw environment.fault(in: "CARILLON_API_KEY", "a key has 1 to 256 bytes")
            }
            configuration.apiKey = .value(key)
        }
        if let name = environment["CARILLON_APP"] {
            guard let app = AppID(name) else {
                throw environment.fault(in: "CARILLON_APP", "'\(name)' is not a bundle id")
            }
            configuration.defaultApp = app
        }
        configuration.security = try environment.security
        return configuration
    }
}

/// The environment variables of a dictionary, or of this process.
private struct EnvironmentVariables {
    let variables: [String: String]?

    /// Returns the value of a variable; nil if it is missing or empty.
    subscript(_ name: String) -> String? {
        let text = variables.map { $0[name] } ?? getenv(name).map { String(cString: $0) }
        return text?.isEmpty == false ? text : nil
    }

    func fault(in name: String, _ text: String) -> CarillonError {
        CarillonError(.invalidArgument, field: name, message: text)
    }

    /// The protection of the connections, as the variables for TLS say.
    var security: CarillonClient.Configuration.Security {
        get throws(CarillonError) {
            let chain = self["CARILLON_CERTIFICATE_FILE"]
            let key = self["CARILLON_CERTIFICATE_KEY_FILE"]
            guard (chain == nil) == (key == nil) else {
                throw fault(in: "CARILLON_CERTIFICATE_KEY_FILE", "the certificate and its key belong together")
            }
            let authorities = self["CARILLON_CA_FILE"].map { CarillonClient.Configuration.PEM.file($0) }
            var certificate: CarillonClient.Configuration.ClientCertificate?
            if let chain, let key { certificate = .init(chain: .file(chain), key: .file(key)) }
            let asksForTLS = authorities != nil || certificate != nil
            let tls = CarillonClient.Configuration.Security.tls(
                authorities: authorities, clientCertificate: certificate)
            switch self["CARILLON_SECURITY"] ?? "auto" {
            case "auto": return asksForTLS ? tls : .automatic
            case "tls": return tls
            case "plaintext": return .plaintext
            case "plaintext_anywhere": return .plaintextAnywhere
            case let other:
                throw fault(
                    in: "CARILLON_SECURITY", "'\(other)' is none of auto, tls, plaintext and plaintext_anywhere")
            }
        }
    }
}
