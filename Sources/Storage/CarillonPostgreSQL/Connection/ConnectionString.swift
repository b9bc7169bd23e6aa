import CCarillonPostgreSQL
import CarillonCluster

/// A connection string of libpq, which names the log database, and the options that Carillon adds.
struct ConnectionString: Sendable {
    /// The options that are set where the connection string does not set them. They name this program in the log
    /// database's list of sessions, choose the host that can write, among several, and find a dead peer while nothing
    /// is sent.
    static let defaults: [(keyword: String, value: String)] = [
        ("fallback_application_name", "carillon"), ("target_session_attrs", "read-write"),
        ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "10000"),
    ]

    /// The connection string: a `postgresql://` URL, or `keyword=value` pairs. It may contain a password, so it is
    /// never logged or told.
    let text: String
    /// The passwords in ``text``, which no reason of a failure may contain.
    private let secrets: [String]

    /// Parses a connection string.
    ///
    /// - Throws: `.refused`, without a word of the string, if it cannot be parsed.
    init(_ text: String, parsedBy library: LibPQ) throws(LogError) {
        self.text = text
        // libpq's own message repeats a part of the text, which may be the password.
        guard let options = library.call.PQconninfoParse(text, nil) else {
            throw .refused(
                "the connection string of the cluster cannot be parsed: it is a postgresql:// URL or key=value pairs")
        }
        defer { library.call.PQconninfoFree(options) }
        var secrets: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if ["password", "sslpassword"].contains(String(cString: keyword)), let value = option.pointee.val {
                secrets.append(String(cString: value))
            }
            option += 1
        }
        self.secrets = secrets.filter { !$0.isEmpty }
    }

    /// Returns a reason without the passwords, in one line.
    func redacted(_ reason: String) -> String {
        var line = reason.split(whereSeparator: \.isNewline).joined(separator: "; ")
        for secret in secrets { line = Self.replacing(secret, in: line) }
        return line.count > 500 ? String(line.prefix(500)) + "…" : line
    }

    private static func replacing(_ secret: String, in text: String) -> String {
        var result = ""
        var rest = text[...]
        while !rest.isEmpty {
            if rest.hasPrefix(secret) {
                result += "***"
                rest = rest.dropFirst(secret.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }
}
