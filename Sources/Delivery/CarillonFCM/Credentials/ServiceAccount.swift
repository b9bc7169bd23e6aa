package import CarillonCore

/// A Google service account, as its key file names it. The private key is not in it.
package struct ServiceAccount: Hashable, Sendable {
    /// The Firebase project: a part of the path of each message.
    package let projectID: String
    /// The id of the private key: `kid` of assertions.
    package let privateKeyID: String
    /// The account: `iss` of assertions.
    package let clientEmail: String
    /// The address at which assertions are exchanged for access tokens, as the file has it: `aud` of assertions.
    package let tokenURI: String
    /// The parts of `tokenURI`.
    package let tokenAddress: HTTPSAddress

    /// The largest key file that is read, in bytes; Google's have about 2,400.
    package static let maximumFileBytes = 16 * 1_024
    /// The longest value that is read, the private key aside, in bytes.
    private static let maximumValueBytes = 512

    /// Reads a key file; `writePrivateKey` gives its key.
    package static func read(_ file: UnsafeRawBufferPointer) throws(ServiceAccountError) -> Self {
        guard file.count <= maximumFileBytes else { throw .tooLarge }
        let key = PrivateKeyMember.range(in: file)
        // Nothing erases the strings of a parser, so it does not get the key.
        let json = key.map { Array(file[..<$0.lowerBound]) + Array(file[$0.upperBound...]) } ?? Array(file)
        let members: [String: JSONValue]
        do throws(JSONError) {
            members = try JSONObjectParser.parse(json)
        } catch {
            throw .notJSON(error)
        }
        guard try text("type", in: members) == "service_account" else { throw .otherKind }
        let tokenURI = try text("token_uri", in: members)
        guard let tokenAddress = HTTPSAddress(tokenURI) else { throw .badValue("token_uri") }
        let account = ServiceAccount(
            projectID: try text("project_id", in: members, isAllowed: isProjectCharacter),
            privateKeyID: try text("private_key_id", in: members, isAllowed: isVisible),
            clientEmail: try text("client_email", in: members, isAllowed: isVisible),
            tokenURI: tokenURI,
            tokenAddress: tokenAddress)
        guard account.clientEmail.utf8.contains(UInt8(ascii: "@")) else { throw .badValue("client_email") }
        guard let value = members["private_key"] else { throw .missing("private_key") }
        guard value.string != nil else { throw .notText("private_key") }
        guard let key, file[key].starts(with: "-----BEGIN PRIVATE KEY-----".utf8) else {
            throw .badValue("private_key")
        }
        return account
    }

    /// Writes the private key of a key file, in PEM (RFC 5958), into memory that the caller erases.
    ///
    /// - Parameter room: as large as `file` or larger.
    /// - Returns: the number of bytes of the key.
    package static func writePrivateKey(
        of file: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(ServiceAccountError) -> Int {
        guard let key = PrivateKeyMember.range(in: file),
            let count = PrivateKeyMember.unescape(UnsafeRawBufferPointer(rebasing: file[key]), into: room)
        else { throw .badValue("private_key") }
        return count
    }

    private static func text(
        _ name: String, in members: [String: JSONValue], isAllowed: (UInt8) -> Bool = { _ in true }
    ) throws(ServiceAccountError) -> String {
        guard let value = members[name] else { throw .missing(name) }
        guard let text = value.string else { throw .notText(name) }
        guard (1...maximumValueBytes).contains(text.utf8.count), text.utf8.allSatisfy(isAllowed) else {
            throw .badValue(name)
        }
        return text
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    /// Returns true for a character of project ids: lower-case letters, digits and hyphens; old ids begin with a domain
    /// and a colon.
    private static func isProjectCharacter(_ byte: UInt8) -> Bool {
        byte.isLowercaseASCIILetter || byte.isASCIIDigit || "-.:".utf8.contains(byte)
    }
}

/// The reason why a key file of a service account cannot be used. No case holds a value of the file.
package enum ServiceAccountError: Error, Hashable, Sendable {
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
