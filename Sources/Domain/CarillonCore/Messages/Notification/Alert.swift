/// The alert of a notification, and its sound.
extension PushNotification {
    /// A text, or the key of a text in the app's own tables.
    public enum Text: Hashable, Sendable, ExpressibleByStringInterpolation {
        /// A text that is shown as it is.
        case plain(String)
        /// A key that the device looks up in its own language; `arguments` replace `%@`.
        case localized(key: String, arguments: [String] = [])

        /// Makes a text that is shown as it is.
        public init(stringLiteral value: String) { self = .plain(value) }
    }

    /// The visible part of a notification.
    public struct Alert: Hashable, Sendable {
        /// The first line.
        public var title: Text?
        /// The second line.
        public var subtitle: Text?
        /// The text below.
        public var body: Text?
        /// The image shown while the app starts; not in a Live Activity.
        public var launchImage: String?

        /// Makes an alert; without arguments, it shows nothing.
        public init(title: Text? = nil, subtitle: Text? = nil, body: Text? = nil, launchImage: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
            self.launchImage = launchImage
        }

        /// Returns the alert, with each field that is set in `other` in place of its own.
        func overridden(by other: Alert) -> Alert {
            Alert(
                title: other.title ?? title,
                subtitle: other.subtitle ?? subtitle,
                body: other.body ?? body,
                launchImage: other.launchImage ?? launchImage
            )
        }

        /// The value of `aps.alert`: a body alone is a string.
        var json: JSONValue {
            if case .plain(let body) = body, title == nil, subtitle == nil, launchImage == nil { return .text(body) }
            var members: [String: JSONValue] = [:]
            for (name, prefix, text) in [
                ("title", "title-", title), ("subtitle", "subtitle-", subtitle), ("body", "", body),
            ] {
                switch text {
                case nil: break
                case .plain(let text): members[name] = .text(text)
                case .localized(let key, let arguments):
                    members[prefix + "loc-key"] = .text(key)
                    if !arguments.isEmpty { members[prefix + "loc-args"] = JSONValue(arguments) }
                }
            }
            members["launch-image"] = launchImage.map { .text($0) }
            return .object(members)
        }

        /// Returns the value of `aps.alert` in a Live Activity: there a key takes the place of the text, and the sound
        /// is inside.
        func liveActivityJSON(_ sound: Sound?) -> JSONValue {
            func json(_ text: Text) -> JSONValue {
                switch text {
                case .plain(let text): .text(text)
                case .localized(let key, []): ["loc-key": .text(key)]
                case .localized(let key, let arguments): ["loc-key": .text(key), "loc-args": JSONValue(arguments)]
                }
            }
            var members: [String: JSONValue] = [:]
            members["title"] = title.map(json)
            members["subtitle"] = subtitle.map(json)
            members["body"] = body.map(json)
            members["sound"] = sound?.json
            return .object(members)
        }
    }

    /// The sound of a notification.
    public enum Sound: Hashable, Sendable, ExpressibleByStringLiteral {
        /// A file of the app, or `default`.
        case named(String)
        /// A sound that plays even if the device is silenced; needs Apple's permission. `volume` is 0 to 1; nil for the
        /// device's.
        case critical(name: String = "default", volume: Double? = nil)

        /// The system's default sound.
        public static let system = Sound.named("default")

        /// Makes a sound by its name.
        public init(stringLiteral value: String) { self = .named(value) }

        /// The value of `sound` in `aps`.
        var json: JSONValue {
            switch self {
            case .named(let name): return .text(name)
            case .critical(let name, let volume):
                var members: [String: JSONValue] = ["critical": 1, "name": .text(name)]
                members["volume"] = volume.map { .number($0) }
                return .object(members)
            }
        }
    }
}

extension JSONValue {
    init(_ strings: [String]) { self = .array(strings.map { .text($0) }) }
}
