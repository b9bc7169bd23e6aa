import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Parses one line of a file of registrations, in any format.
enum RegistrationLine {
    /// The longest line, in bytes.
    static let maximumBytes = 1 << 16

    /// The values for lines that do not have their own.
    struct Template: Equatable {
        var app: AppID
        var environment = APNsEnvironment.production
        var kind = TokenKind.device
        var seenAt = Timestamp.zero
        var locale: String?
        var timeZone: String?
    }

    /// The reason why a line is refused, by this program or by the server.
    struct ParseError: Error, Equatable {
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
        "topics", "groups", "app", "subscription",
    ]

    /// The name under which a file of refused lines has the reason. It is ignored, so that such a file can be mended
    /// and imported.
    static let refused = "refused"

    /// Returns the registration that named values describe; null counts as missing.
    static func registration(
        of members: [String: JSONValue], template: Template
    ) throws(ParseError) -> Registration {
        var parts = Parts(template)
        for (name, value) in members where value != .null { try parts.set(name, to: value) }
        let registration = try parts.withAddress()
        if registration.attributes.count > 1 { try check(registration.attributes) }
        return registration
    }

    /// The values of a line. Several of them make the address of its device.
    private struct Parts {
        private let template: Template
        private(set) var registration: Registration
        private var token: JSONValue?
        private var replacedToken: JSONValue?
        private var environment: APNsEnvironment?
        private var kind: TokenKind?

        init(_ template: Template) {
            self.template = template
            registration = Registration(
                app: template.app,
                address: placeholder,
                seenAt: template.seenAt,
                locale: template.locale,
                timeZone: template.timeZone
            )
        }

        mutating func set(_ name: String, to value: JSONValue) throws(ParseError) {
            switch name {
            case "token": token = value
            case "environment":
                environment = try text(value, of: name, expected: environments, APNsEnvironment.init(name:))
            case "kind": kind = try text(value, of: name, expected: kinds, TokenKind.init(name:))
            case "replaces": replacedToken = value
            case "seen_at": registration.seenAt = try time(value, of: name)
            case "locale":
                registration.locale = try text(value, of: name, expected: "a language tag") {
                    emptyOrValid($0, if: DeviceFieldSyntax.isLanguageTag)
                }
            case "time_zone":
                registration.timeZone = try text(value, of: name, expected: "the name of a time zone") {
                    emptyOrValid($0, if: DeviceFieldSyntax.isTimeZone)
                }
            case "platform": registration.attributes.append(try attribute(name, value: value))
            case "attributes": registration.attributes += try attributes(value)
            case "topics": registration.topics = try list(value, of: name)
            case "groups": registration.groups = try list(value, of: name)
            case refused: break
            case "app": registration.app = try explained(value, of: name)
            case "subscription": registration.subscription = try subscription(value)
            default: throw ParseError(field: name, "a registration has no such name")
            }
        }

        /// Returns the registration with its address, and with the token that it replaces.
        func withAddress() throws(ParseError) -> Registration {
            var registration = registration
            var usedKind = kind ?? template.kind
            if let browser = registration.subscription {
                guard token == nil, environment ?? .production == .production, kind ?? .web == .web else {
                    throw ParseError(
                        field: "subscription", "the token, environment and kind follow from a subscription")
                }
                registration.address = DeviceAddress(browserAt: browser.endpoint)
                usedKind = .web
            } else {
                guard let token else { throw ParseError(field: "token", "token is missing") }
                registration.address = try address(token, of: usedKind, environment: environment, template: template)
            }
            if let replacedToken {
                registration.replaces = try parsedToken(replacedToken, of: usedKind, name: "replaces")
            }
            return registration
        }
    }

    /// Returns the address of a token, in the environment of the line, or else of the template.
    private static func address(
        _ token: JSONValue, of kind: TokenKind, environment: APNsEnvironment?, template: Template
    ) throws(ParseError) -> DeviceAddress {
        let token = try parsedToken(token, of: kind, name: "token")
        // Only Apple's devices have another environment.
        let usual = kind.provider == .apns ? template.environment : .production
        let address = DeviceAddress(environment: environment ?? usual, kind: kind, token: token)
        guard address.fault == nil else {
            throw ParseError(field: "environment", "a token of kind \(kind.name) is of the environment production")
        }
        return address
    }

    private static func parsedToken(_ value: JSONValue, of kind: TokenKind, name: String) throws(ParseError)
        -> DeviceToken
    {
        guard let text = value.string else { throw ParseError(field: name, "not a string") }
        if let token = DeviceToken(text, of: kind) { return token }
        let fault =
            switch kind {
            case .fid: "not the 22 characters of a Firebase installation id"
            case .fcm: FirebaseToken.fault(of: text)
            case .web: "not the SHA-256 of an endpoint"
            default: DeviceToken.fault(of: text)
            }
        throw ParseError(field: name, fault)
    }

    /// Parses a push subscription: the JSON that a page got, as an object or as text.
    private static func subscription(_ value: JSONValue) throws(ParseError) -> WebPushSubscription {
        do throws(WebPushSubscriptionError) {
            if let text = value.string { return try WebPushSubscription(json: Array(text.utf8)) }
            guard let members = value.members else { throw .notJSON }
            return try WebPushSubscription(members: members)
        } catch {
            throw ParseError(field: "subscription", "the subscription \(error)")
        }
    }

    /// A placeholder for the address until the token is read.
    private static let placeholder: DeviceAddress = {
        guard let token = DeviceToken([0]) else { preconditionFailure("a constant is not a token") }
        return DeviceAddress(environment: .production, kind: .device, token: token)
    }()

    private static let environments = "one of " + APNsEnvironment.allCases.map(\.name).joined(separator: ", ")
    private static let kinds = "one of " + TokenKind.allCases.map(\.name).joined(separator: ", ")

    private static func text<T>(
        _ value: JSONValue,
        of name: String,
        expected: String,
        _ convert: (String) -> T?
    ) throws(ParseError) -> T {
        guard let text = value.string, let converted = convert(text) else {
            throw ParseError(field: name, "not \(expected)")
        }
        return converted
    }

    /// Parses a value as on the command line.
    private static func explained<T: ExplainedArgument>(_ value: JSONValue, of name: String) throws(ParseError) -> T {
        guard let text = value.string else { throw ParseError(field: name, "not a string") }
        guard let parsed = T(argument: text) else { throw ParseError(field: name, T.fault(of: text)) }
        return parsed
    }

    private static func emptyOrValid(_ text: String, if isValid: (String) -> Bool) -> String? {
        text.isEmpty || isValid(text) ? text : nil
    }

    private static func time(_ value: JSONValue, of name: String) throws(ParseError) -> Timestamp {
        switch value {
        case .integer(let milliseconds) where milliseconds >= 0: return Timestamp(milliseconds: UInt64(milliseconds))
        case .text(let text):
            if let time = Timestamp(text: text) { return time }
        default: break
        }
        throw ParseError(field: name, "neither a time nor milliseconds")
    }

    private static func list<T: ExplainedArgument>(_ value: JSONValue, of name: String) throws(ParseError) -> [T] {
        guard case .array(let items) = value else { throw ParseError(field: name, "not a list") }
        guard items.count <= Registration.maximumNames else {
            throw ParseError(field: name, "\(items.count) \(name), not 0 to \(Registration.maximumNames)")
        }
        var list: [T] = []
        for item in items { list.append(try explained(item, of: name)) }
        return list
    }

    private static func attribute(_ key: String, value: JSONValue) throws(ParseError) -> AttributeChange {
        guard let text = value.string, let change = AttributeChange(key: key, value: text), !change.key.isReserved
        else {
            throw ParseError(field: "attributes", "\(key) cannot be set, or has a value that is not allowed")
        }
        return change
    }

    private static func attributes(_ value: JSONValue) throws(ParseError) -> [AttributeChange] {
        guard let members = value.members else { throw ParseError(field: "attributes", "attributes are not an object") }
        var changes: [AttributeChange] = []
        for (key, value) in members { changes.append(try attribute(key, value: value)) }
        return changes
    }

    private static func check(_ attributes: [AttributeChange]) throws(ParseError) {
        guard attributes.count <= Attributes.maximumCount else {
            throw ParseError(field: "attributes", "\(attributes.count) attributes, not 0 to \(Attributes.maximumCount)")
        }
        guard Set(attributes.map(\.key)).count == attributes.count else {
            throw ParseError(field: "attributes", "an attribute is there twice")
        }
    }
}
