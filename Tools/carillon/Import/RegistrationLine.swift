import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The parser of one line of a file of registrations, in any form.
enum RegistrationLine {
    /// The longest line, in bytes.
    static let maximumBytes = 1 << 16

    /// The values for lines that do not have their own.
    struct Template: Equatable {
        var app: AppID
        var environment = Environment.production
        var kind = TokenKind.device
        var seenAt = Timestamp.zero
        var locale: String?
        var timeZone: String?
    }

    /// The reason why a line is refused, by this program or by the server.
    struct Fault: Error, Equatable {
        var code: String
        var field: String?
        var message: String

        init(field: String? = nil, _ message: String) {
            code = "INVALID_LINE"
            self.field = field
            self.message = message
        }

        init(_ error: CarillonError) {
            code = error.code.description
            field = error.field
            message = error.message
        }
    }

    /// The allowed names of a line.
    static let names = [
        "token", "environment", "kind", "replaces", "seen_at", "locale", "time_zone", "platform", "attributes",
        "topics",
        "groups", "app",
    ]

    /// The name under which a file of refused lines has the reason. It is ignored, so that such a file can be mended and
    /// imported.
    static let refused = "refused"

    /// Makes a registration from named values; null counts as missing.
    static func registration(
        of members: [String: JSONValue],
        _ template: Template
    ) throws(Fault) -> Registration {
        var tokens: (new: JSONValue?, old: JSONValue?)
        var (environment, kind): (Environment?, TokenKind) = (nil, template.kind)
        var line = Registration(
            app: template.app,
            address: placeholder,
            seenAt: template.seenAt,
            locale: template.locale,
            timeZone: template.timeZone
        )
        for (name, value) in members where value != .null {
            switch name {
            case "token": tokens.new = value
            case "environment":
                environment = try text(value, of: name, expected: environments, Environment.init(name:))
            case "kind": kind = try text(value, of: name, expected: kinds, TokenKind.init(name:))
            case "replaces": tokens.old = value
            case "seen_at": line.seenAt = try time(value, name)
            case "locale":
                line.locale = try text(value, of: name, expected: "a language tag") {
                    isAbsentOr($0, DeviceField.isLanguageTag)
                }
            case "time_zone":
                line.timeZone = try text(value, of: name, expected: "the name of a time zone") {
                    isAbsentOr($0, DeviceField.isTimeZone)
                }
            case "platform": line.attributes.append(try attribute(name, value))
            case "attributes": line.attributes += try attributes(value)
            case "topics": line.topics = try list(value, of: name)
            case "groups": line.groups = try list(value, of: name)
            case refused: break
            case "app": line.app = try explained(value, of: name)
            default: throw Fault(field: name, "a registration has no such name")
            }
        }
        guard let new = tokens.new else { throw Fault(field: "token", "token is missing") }
        let token = try parsedToken(new, of: kind, name: "token")
        // Only Apple's devices have another environment.
        let usual = kind.provider == .apns ? template.environment : .production
        line.address = DeviceAddress(environment: environment ?? usual, kind: kind, token: token)
        guard line.address.fault == nil else {
            throw Fault(field: "environment", "a token of kind \(kind.name) is of the environment production")
        }
        if let old = tokens.old { line.replaces = try parsedToken(old, of: kind, name: "replaces") }
        if line.attributes.count > 1 { try check(line.attributes) }
        return line
    }

    /// A token in the form of its kind.
    private static func parsedToken(_ value: JSONValue, of kind: TokenKind, name: String) throws(Fault) -> DeviceToken {
        guard let text = value.string else { throw Fault(field: name, "not a string") }
        if let token = DeviceToken(text, of: kind) { return token }
        let fault =
            switch kind {
            case .fid: "not the 22 characters of a Firebase installation id"
            case .fcm: FirebaseToken.fault(of: text)
            case .web: "not the SHA-256 of an endpoint"
            default: DeviceToken.fault(of: text)
            }
        throw Fault(field: name, fault)
    }

    /// A placeholder for the address until the token is read.
    private static let placeholder: DeviceAddress = {
        guard let token = DeviceToken([0]) else { preconditionFailure("a constant is not a token") }
        return DeviceAddress(environment: .production, kind: .device, token: token)
    }()

    private static let environments = "one of " + Environment.allCases.map(\.name).joined(separator: ", ")
    private static let kinds = "one of " + TokenKind.allCases.map(\.name).joined(separator: ", ")

    private static func text<T>(
        _ value: JSONValue,
        of name: String,
        expected: String,
        _ convert: (String) -> T?
    ) throws(Fault) -> T {
        guard let text = value.string, let converted = convert(text) else {
            throw Fault(field: name, "not \(expected)")
        }
        return converted
    }

    /// A value that is parsed as on the command line.
    private static func explained<T: ExplainedArgument>(_ value: JSONValue, of name: String) throws(Fault) -> T {
        guard let text = value.string else { throw Fault(field: name, "not a string") }
        guard let parsed = T(argument: text) else { throw Fault(field: name, T.fault(of: text)) }
        return parsed
    }

    private static func isAbsentOr(_ text: String, _ isValid: (String) -> Bool) -> String? {
        text.isEmpty || isValid(text) ? text : nil
    }

    private static func time(_ value: JSONValue, _ name: String) throws(Fault) -> Timestamp {
        switch value {
        case .integer(let milliseconds) where milliseconds >= 0: return Timestamp(milliseconds: UInt64(milliseconds))
        case .text(let text):
            if let time = Timestamp(text: text) { return time }
        default: break
        }
        throw Fault(field: name, "neither a time nor milliseconds")
    }

    private static func list<T: ExplainedArgument>(_ value: JSONValue, of name: String) throws(Fault) -> [T] {
        guard case .array(let items) = value else { throw Fault(field: name, "not a list") }
        guard items.count <= Registration.maximumNames else {
            throw Fault(field: name, "\(items.count) \(name), not 0 to \(Registration.maximumNames)")
        }
        var list: [T] = []
        for item in items { list.append(try explained(item, of: name)) }
        return list
    }

    private static func attribute(_ key: String, _ value: JSONValue) throws(Fault) -> AttributeChange {
        guard let text = value.string, let change = AttributeChange(key: key, value: text), !change.key.isReserved
        else {
            throw Fault(field: "attributes", "\(key) cannot be set, or has a value that is not allowed")
        }
        return change
    }

    private static func attributes(_ value: JSONValue) throws(Fault) -> [AttributeChange] {
        guard let members = value.members else { throw Fault(field: "attributes", "attributes are not an object") }
        var changes: [AttributeChange] = []
        for (key, value) in members { changes.append(try attribute(key, value)) }
        return changes
    }

    private static func check(_ attributes: [AttributeChange]) throws(Fault) {
        guard attributes.count <= Attributes.maximumCount else {
            throw Fault(field: "attributes", "\(attributes.count) attributes, not 0 to \(Attributes.maximumCount)")
        }
        guard Set(attributes.map(\.key)).count == attributes.count else {
            throw Fault(field: "attributes", "an attribute is there twice")
        }
    }
}
