package import CarillonCore
package import CarillonTLS
import FoundationEssentials

/// Who may connect: API keys by their hash, client certificates by their names.
package struct KeyRing: Sendable {
    private struct File: Decodable {
        struct Entry: Decodable {
            var name: String
            var keySHA256: [String]?
            var certificateNames: [String]?
            var grants: [GrantEntry]
            var requestsPerSecond: UInt32?
        }

        struct GrantEntry: Decodable {
            var app: String
            var roles: [String]
        }

        var principals: [Entry]
    }

    private var keys: [(hash: [UInt8], principal: Int)] = []
    private var certificates: [String: Int] = [:]
    private var principals: [Principal] = []

    /// Reads the file of principals.
    ///
    /// ```json
    /// { "principals": [ { "name": "game-backend", "keySHA256": ["…"], "certificateNames": ["backend.example.com"],
    ///     "grants": [ { "app": "*", "roles": ["register", "send", "observe"] } ], "requestsPerSecond": 5000 } ] }
    /// ```
    package static func load(path: String) throws(SettingsError) -> KeyRing {
        let file = try JSONFile.load(File.self, path: path)
        var ring = KeyRing()
        for entry in file.principals { try ring.add(entry, path) }
        guard !ring.principals.isEmpty else { throw SettingsError(path, "names no principal: nobody could connect") }
        return ring
    }

    private mutating func add(_ entry: File.Entry, _ path: String) throws(SettingsError) {
        let place = "\(path): principal \(entry.name)"
        guard (1...255).contains(entry.name.utf8.count) else { throw SettingsError(place, "a name has 1 to 255 bytes") }
        guard !principals.contains(where: { $0.name == entry.name }) else {
            throw SettingsError(place, "stands twice in the file")
        }
        var grants: [Grant] = []
        for grant in entry.grants { grants.append(try Self.grant(grant, place)) }
        let index = principals.count
        principals.append(Principal(name: entry.name, grants: grants, requestsPerSecond: entry.requestsPerSecond))
        for text in entry.keySHA256 ?? [] {
            guard let hash = Hex.bytes(text), hash.count == SHA256.byteCount else {
                throw SettingsError(place, "keySHA256 must be 64 hexadecimal digits; `carillond make-key` makes one")
            }
            guard !keys.contains(where: { $0.hash == hash }) else {
                throw SettingsError(place, "one of its keys belongs to another principal, or stands twice")
            }
            keys.append((hash, index))
        }
        for name in entry.certificateNames ?? [] {
            guard certificates.updateValue(index, forKey: name) == nil else {
                throw SettingsError(place, "the certificate name \(name) stands twice in the file")
            }
        }
    }

    private static func grant(_ entry: File.GrantEntry, _ place: String) throws(SettingsError) -> Grant {
        var roles: Roles = []
        for name in entry.roles {
            guard let role = Roles.named.first(where: { $0.name == name })?.role else {
                throw SettingsError(place, "the role \(name) is none of register, send, observe and admin")
            }
            roles.insert(role)
        }
        if entry.app == "*" { return Grant(app: nil, roles: roles) }
        guard let app = AppID(entry.app) else { throw SettingsError(place, "\(entry.app) is not a bundle id") }
        return Grant(app: app, roles: roles)
    }

    /// How many principals there are.
    var count: Int { principals.count }

    /// Whose key it is, or nothing. Takes the same time whichever key it is, and whether it is one.
    package func principal(forKey credential: [UInt8]) -> Principal? {
        principal(for: Credential(key: credential))
    }

    /// Whose certificate it is, by its DNS and URI names; nil if none of them is known.
    package func principal(for certificate: Certificate) -> Principal? {
        principal(for: Credential(certificate))
    }

    /// Whose credential it is, or nothing.
    func principal(for credential: Credential) -> Principal? {
        switch credential {
        case .key(let hash):
            var found: Int?
            for key in keys where constantTimeEquals(key.hash, hash) { found = key.principal }
            return found.map { principals[$0] }
        case .certificate(let names):
            return names.lazy.compactMap { certificates[$0] }.first.map { principals[$0] }
        }
    }

    /// Makes a key: 32 random bytes, in letters that need no quoting, and its hash for the file of principals.
    package static func makeKey() throws(TLSError) -> (key: String, sha256: String) {
        let key = "crln_" + Hex.string(try randomBytes(32))
        return (key, Hex.string(SHA256.hash(Array(key.utf8))))
    }
}
