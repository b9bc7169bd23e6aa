import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The options for the content of a message: fields, or the payload itself.
struct ContentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The title of the alert.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("The second line of the alert.", valueName: "text"))
    var subtitle: String?

    @Option(help: ArgumentHelp("The body of the alert.", valueName: "text"))
    var body: String?

    @Option(help: ArgumentHelp("The key of a title in the app's own tables.", valueName: "key"))
    var titleLocKey: String?

    @Option(help: ArgumentHelp("Replaces the next %@ in it; may be repeated.", valueName: "text"))
    var titleLocArg: [String] = []

    @Option(help: ArgumentHelp("The key of a subtitle in the app's own tables.", valueName: "key"))
    var subtitleLocKey: String?

    @Option(help: ArgumentHelp("Replaces the next %@ in it; may be repeated.", valueName: "text"))
    var subtitleLocArg: [String] = []

    @Option(help: ArgumentHelp("The key of a body in the app's own tables.", valueName: "key"))
    var locKey: String?

    @Option(help: ArgumentHelp("Replaces the next %@ in it; may be repeated.", valueName: "text"))
    var locArg: [String] = []

    @Option(help: ArgumentHelp("The image shown while the app starts.", valueName: "name"))
    var launchImage: String?

    @Option(help: ArgumentHelp("The number on the app's icon; 0 removes it.", valueName: "number"))
    var badge: Int?

    @Option(help: ArgumentHelp("A sound of the app, or default.", valueName: "name"))
    var sound: String?

    @Flag(help: "Plays the sound even if the device is silenced; needs Apple's permission.")
    var critical = false

    @Option(help: ArgumentHelp("The volume of a critical sound.", valueName: "0…1"))
    var volume: Double?

    @Option(help: ArgumentHelp("Notifications of one thread are grouped.", valueName: "text"))
    var threadId: String?

    @Option(help: ArgumentHelp("The category, which decides the buttons.", valueName: "name"))
    var category: String?

    @Flag(help: "Wakes the app in the background.")
    var contentAvailable = false

    @Flag(help: "Lets the app's service extension change the notification.")
    var mutableContent = false

    @Option(help: "How much it may interrupt.")
    var interruptionLevel: PushNotification.InterruptionLevel?

    @Option(help: ArgumentHelp("The rank in the summary.", valueName: "0…1"))
    var relevanceScore: Double?

    @Option(help: ArgumentHelp("The window of the app that is brought to the front.", valueName: "text"))
    var targetContentId: String?

    @Option(help: ArgumentHelp("The value that the app's Focus filter compares.", valueName: "text"))
    var filterCriteria: String?

    @Flag(help: "Reloads widgets or controls.")
    var contentChanged = false

    @Option(help: ArgumentHelp("A string for the app, beside aps; may be repeated.", valueName: "name=text"))
    var data: [DataArgument] = []

    @Option(
        help: ArgumentHelp(
            "A file with a JSON object for the app, beside aps; - is standard input.", valueName: "file"),
        completion: .file()
    )
    var dataJson: String?

    @Option(help: ArgumentHelp("The payload itself: a JSON object, sent as it is.", valueName: "json"))
    var payload: String?

    @Option(help: ArgumentHelp("A file with the payload; - is standard input.", valueName: "file"), completion: .file())
    var payloadFile: String?

    @Option(help: ArgumentHelp("The title in another language; may be repeated.", valueName: "lang=text"))
    var titleIn: [TranslationArgument] = []

    @Option(help: ArgumentHelp("The subtitle in another language; may be repeated.", valueName: "lang=text"))
    var subtitleIn: [TranslationArgument] = []

    @Option(help: ArgumentHelp("The body in another language; may be repeated.", valueName: "lang=text"))
    var bodyIn: [TranslationArgument] = []

    @Option(
        help: ArgumentHelp(
            "A JSON file of languages: {\"zh\": {\"title\": …, \"subtitle\": …, \"body\": …}, …}.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var translations: String?

    @Option(help: ArgumentHelp("The payload in another language; may be repeated.", valueName: "lang=json"))
    var payloadIn: [TranslationArgument] = []

    @Flag(help: "Devices of other languages get nothing, instead of the text without a language.")
    var onlyTranslations = false

    func validate() throws {
        guard [isOfFields, payload != nil, payloadFile != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("Fields, --payload and --payload-file exclude each other.")
        }
        for (name, text, key, arguments) in [
            ("title", title, titleLocKey, titleLocArg), ("subtitle", subtitle, subtitleLocKey, subtitleLocArg),
            ("body", body, locKey, locArg),
        ] {
            let prefix = name == "body" ? "--" : "--\(name)-"
            guard text == nil || key == nil else {
                throw ValidationError("--\(name) and \(prefix)loc-key exclude each other.")
            }
            guard arguments.isEmpty || key != nil else {
                throw ValidationError("\(prefix)loc-arg belongs to \(prefix)loc-key.")
            }
        }
        guard volume == nil || critical else { throw ValidationError("--volume belongs to --critical.") }
        let names = data.map(\.name)
        guard Set(names).count == names.count else { throw ValidationError("--data gives the same name twice.") }
        try validateTranslations()
    }

    private func validateTranslations() throws {
        let isTranslated = !titleIn.isEmpty || !subtitleIn.isEmpty || !bodyIn.isEmpty || translations != nil
        guard payload == nil && payloadFile == nil || !isTranslated else {
            throw ValidationError("The translation of a payload is --payload-in LANG=JSON.")
        }
        guard payloadIn.isEmpty || !isOfFields && !isTranslated else {
            throw ValidationError("--payload-in goes with --payload or --payload-file, not with fields.")
        }
        guard !onlyTranslations || isTranslated || !payloadIn.isEmpty else {
            throw ValidationError("--only-translations needs a translation.")
        }
        for (name, texts) in [
            ("title", titleIn), ("subtitle", subtitleIn), ("body", bodyIn), ("payload", payloadIn),
        ] {
            let languages = texts.map { $0.language.lowercased() }
            guard Set(languages).count == languages.count else {
                throw ValidationError("--\(name)-in gives the same language twice.")
            }
        }
    }

    /// True if the content is a payload that the user has written, and not made from fields.
    var isPayload: Bool { payload != nil || payloadFile != nil || !payloadIn.isEmpty }

    var isEmpty: Bool {
        !isOfFields && payload == nil && payloadFile == nil && payloadIn.isEmpty && titleIn.isEmpty
            && subtitleIn.isEmpty
            && bodyIn.isEmpty && translations == nil
    }

    private var isOfFields: Bool { notification != PushNotification() || !data.isEmpty || dataJson != nil }

    /// Returns the payloads: one for each language, and one for all other devices.
    func localized(for type: PushType) throws -> LocalizedPayload {
        if isPayload {
            let bodies = payloadIn.map { LanguageBody(language: $0.language, payload: Array($0.text.utf8)) }
            return LocalizedPayload(payload: onlyTranslations ? nil : try plainPayload(), bodies: bodies)
        }
        let members = try members()
        let alerts = try alerts()
        do throws(MessageError) {
            return try notification(for: type, members: members, alerts: alerts)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Returns the announcement for a group's other devices when a device joins; nil if no content is given.
    func announcement() throws -> Announcement? {
        isEmpty ? nil : Announcement(try localized(for: .alert))
    }

    private func plainPayload() throws -> [UInt8]? {
        if let payload { return Array(payload.utf8) }
        return try payloadFile.map(Self.contents)
    }

    /// Makes the payloads from the fields. For a background push it sets `content-available`, for widgets and controls
    /// `content-changed`.
    private func notification(
        for type: PushType,
        members: [String: JSONValue],
        alerts: [String: PushNotification.Alert]
    ) throws(MessageError) -> LocalizedPayload {
        var notification = notification
        if type == .background { notification.isContentAvailable = true }
        if type == .widgets || type == .controls { notification.isContentChanged = true }
        notification.data = members
        return try notification.localized(alerts, hasDefault: !onlyTranslations, for: type)
    }

    /// Returns the alerts in other languages: first from the file, then from the options.
    private func alerts() throws -> [String: PushNotification.Alert] {
        var alerts = try translations.map(Self.alerts) ?? [:]
        for (texts, field) in [
            (titleIn, \PushNotification.Alert.title), (subtitleIn, \.subtitle), (bodyIn, \.body),
        ] {
            for text in texts {
                let same = alerts.keys.first { $0.lowercased() == text.language.lowercased() } ?? text.language
                alerts[same, default: PushNotification.Alert()][keyPath: field] = .plain(text.text)
            }
        }
        return alerts
    }

    private static func alerts(of path: String) throws -> [String: PushNotification.Alert] {
        return try object(of: path).mapValues { value in
            guard let members = value.members else {
                throw ValidationError("The file \(path) must have an object for each language.")
            }
            var alert = PushNotification.Alert()
            for (name, value) in members {
                guard let text = value.string else { throw ValidationError("\(name) in \(path) is not a string.") }
                switch name {
                case "title": alert.title = .plain(text)
                case "subtitle": alert.subtitle = .plain(text)
                case "body": alert.body = .plain(text)
                default: throw ValidationError("\(name) in \(path) is not one of title, subtitle, body.")
                }
            }
            return alert
        }
    }

    /// The notification made from the fields, without data.
    private var notification: PushNotification {
        let alert = PushNotification.Alert(
            title: text(title, key: titleLocKey, arguments: titleLocArg),
            subtitle: text(subtitle, key: subtitleLocKey, arguments: subtitleLocArg),
            body: text(body, key: locKey, arguments: locArg),
            launchImage: launchImage
        )
        return PushNotification(
            alert: alert == PushNotification.Alert() ? nil : alert,
            badge: badge,
            sound: critical ? .critical(name: sound ?? "default", volume: volume) : sound.map { .named($0) },
            threadID: threadId,
            category: category,
            isContentAvailable: contentAvailable,
            isContentMutable: mutableContent,
            interruptionLevel: interruptionLevel,
            relevanceScore: relevanceScore,
            targetContentID: targetContentId,
            filterCriteria: filterCriteria,
            isContentChanged: contentChanged
        )
    }

    private func text(_ plain: String?, key: String?, arguments: [String]) -> PushNotification.Text? {
        key.map { .localized(key: $0, arguments: arguments) } ?? plain.map { .plain($0) }
    }

    private func members() throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if let dataJson {
            members = try Self.object(of: dataJson)
        }
        for argument in data {
            guard members.updateValue(.text(argument.text), forKey: argument.name) == nil else {
                throw ValidationError("\(argument.name) is in --data and in --data-json.")
            }
        }
        return members
    }

    private static func object(of path: String) throws -> [String: JSONValue] {
        let bytes = try contents(of: path)
        do throws(JSONError) {
            return try JSONObjectParser.parse(bytes)
        } catch {
            throw CommandError.unusable("\(path) \(error.sentence(in: bytes))")
        }
    }

    private static func contents(of path: String) throws -> [UInt8] {
        // The limit is larger than any payload with all its translations; the server checks the exact limits.
        var bytes = try InputFile.contents(path, maximumBytes: 1 << 20)
        guard !bytes.isEmpty else { throw CommandError.unusable("\(path) is empty") }
        while let last = bytes.last, [0x0A, 0x0D, 0x20].contains(last) { bytes.removeLast() }
        return bytes
    }
}
