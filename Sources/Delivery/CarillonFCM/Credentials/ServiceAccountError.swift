package import CarillonCore

/// The reason why a key file of a service account cannot be used. No case holds a value of the file.
package enum ServiceAccountError: Error, Hashable, Sendable {
    /// The file has more than `ServiceAccount.maximumFileBytes`.
    case tooLarge
    /// The file is not a JSON object.
    case notJSON(JSONError)
    /// The member `type` is not `service_account`: another kind of credential of Google.
    case otherKind
    /// The member of that name is missing.
    case missing(String)
    /// The member of that name is not a string.
    case notText(String)
    /// The member of that name has a value that cannot be used.
    case badValue(String)
}

extension ServiceAccountError: CustomStringConvertible {
    /// The fault as the end of a sentence about the file.
    package var description: String {
        switch self {
        case .tooLarge: "is larger than \(ServiceAccount.maximumFileBytes) bytes"
        case .notJSON(let fault): fault == .notAnObject ? "is not a JSON object" : "is not JSON"
        case .otherKind: "is not the key of a service account: its type is another"
        case .missing(let name): "has no \(name)"
        case .notText(let name): "has a \(name) that is not a string"
        case .badValue("private_key"): "has a private_key that is not an unencrypted PKCS #8 key in PEM"
        case .badValue("token_uri"): "has a token_uri that is not an https URL"
        case .badValue(let name): "has a \(name) that cannot be right"
        }
    }
}
