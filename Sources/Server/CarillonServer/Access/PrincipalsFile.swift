import CarillonCore
import CarillonTLS
import FoundationEssentials

/// The JSON file of the principals that may connect: API keys by their hash, client certificates by their names.
package struct PrincipalsFile: Sendable {
    private struct Contents: Decodable {
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

        static let shape = JSONShape.object([
            "principals": .list(
                of: .object([
                    "name": .value, "keySHA256": .value, "certificateNames": .value, "requestsPerSecond": .value,
                    "grants": .list(of: .object(["app": .value, "roles": .value])),
                ]))
        ])
    }

    private var keys: [(hash: [UInt8], principal: Int)] = []
    private var certificates: [CertificateName: Int] = [:]
    private var principals: [Principal] = []

    /// Reads the file of principals.
    ///
    /// ```json
    /// { "principals": [ { "name": "game-backend", "keySHA256": ["…"], "certificateNames": ["backend.example.com"],
    ///     "grants": [ { "app": "*", "roles": ["register", "send", "observe"] } ], "requestsPerSecond": 5000 } ] }
    /// ```
    /// A certificate name with `://` stands for a URI in the certificate, any other one for a DNS name.
    ///
    /// - Parameter refusesWritableByOthers: true if a file is refused that other users can change: they could let
    ///   themselves in.
    package static func load(path: String, refusesWritableByOthers: Bool = false) throws(SettingsError)
        -> PrincipalsFile
    {
        let file = try JSONFile.load(
            Contents.self, path: path, shape: Contents.shape, refusesWritableByOthers: refusesWritableByOthers)
        var principals = PrincipalsFile()
        for entry in file.principals { try principals.add(entry, from: path) }
        guard !principals.principals.isEmpty else {
            throw SettingsError(path, fault: "names no principal: no client could connect")
        }
        return principals
    }

    /// All principals, in the order of the file.
    var all: [Principal] { principals }

    /// Returns true if `name` can be the name of a principal. Listings and the log show it.
    package static func isName(_ name: String) -> Bool {
        (1...Principal.maximumNameBytes).contains(name.utf8.count)
            && !name.unicodeScalars.contains(where: \.isControlCharacter)
    }

    private mutating func add(_ entry: Contents.Entry, from path: String) throws(SettingsError) {
        let place = "\(path): principal \(entry.name)"
        guard Self.isName(entry.name) else {
            throw SettingsError(
                place, fault: "a name has 1 to \(Principal.maximumNameBytes) bytes and no control characters")
        }
        guard !principals.contains(where: { $0.name == entry.name }) else {
            throw SettingsError(place, fault: "is twice in the file")
        }
        var grants: [Grant] = []
        for grant in entry.grants { grants.append(try Self.grant(grant, at: place)) }
        let index = principals.count
        principals.append(Principal(name: entry.name, grants: grants, requestsPerSecond: entry.requestsPerSecond))
        for text in entry.keySHA256 ?? [] {
            guard let hash = Hex.bytes(text), hash.count == SHA256.byteCount else {
                throw SettingsError(
                    place, fault: "keySHA256 must be 64 hexadecimal digits; `carillond make-key` makes one")
            }
            guard !keys.contains(where: { $0.hash == hash }) else {
                throw SettingsError(
                    place, fault: "one of its keys belongs to another principal, or is twice in the file")
            }
            keys.append((hash, index))
        }
        for text in entry.certificateNames ?? [] {
            guard let name = CertificateName(entry: text) else {
                throw SettingsError(
                    place, fault: "the certificate name \(text) is neither a DNS name nor a URI with ://")
            }
            guard certificates.updateValue(index, forKey: name) == nil else {
                throw SettingsError(place, fault: "the certificate name \(text) is twice in the file")
            }
        }
    }

    private static func grant(_ entry: Contents.GrantEntry, at place: String) throws(SettingsError) -> Grant {
        var roles: Roles = []
        for name in entry.roles {
            guard let role = Roles.named.first(where: { $0.name == name })?.role else {
                throw SettingsError(place, fault: "the role \(name) is not one of register, send, observe and admin")
            }
            roles.insert(role)
        }
        if entry.app == "*" { return Grant(app: nil, roles: roles) }
        guard let app = AppID(entry.app) else { throw SettingsError(place, fault: "\(entry.app) is not a bundle id") }
        return Grant(app: app, roles: roles)
    }

    var count: Int { principals.count }

    /// Returns the principal of an identity; nil if no principal has it. The time is the same for every key, known or
    /// not.
    func principal(for identity: ClientIdentity) -> Principal? {
        switch identity {
        case .key(let hash):
            var found: Int?
            for key in keys where constantTimeEquals(key.hash, hash) { found = key.principal }
            return found.map { principals[$0] }
        case .certificate(let names):
            return names.lazy.compactMap { certificates[$0] }.first.map { principals[$0] }
        }
    }
}
