import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The options for what only Android devices or only browsers get.
struct ProviderOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The picture beside the text, on Android and in browsers.", valueName: "url"))
    var image: String?

    @Option(help: ArgumentHelp("The notification channel on Android.", valueName: "id"))
    var androidChannel: String?

    @Option(help: ArgumentHelp("The page that a browser opens for the notification.", valueName: "url"))
    var webLink: String?

    @Option(
        help: ArgumentHelp(
            "Members of FCM's message.android, which override what follows from the content.", valueName: "json"))
    var android: String?

    @Option(help: ArgumentHelp("FCM's message without its target, instead of the content.", valueName: "json"))
    var androidRaw: String?

    @Option(
        help: ArgumentHelp(
            "Members of notification for browsers, which override what follows from the content.", valueName: "json"))
    var web: String?

    @Option(
        help: ArgumentHelp("The text for the service worker of a browser, instead of the content.", valueName: "text"))
    var webRaw: String?

    func validate() throws {
        guard androidRaw == nil || android == nil && androidChannel == nil else {
            throw ValidationError("--android-raw is the whole message: no --android and no --android-channel.")
        }
        guard webRaw == nil || web == nil && webLink == nil else {
            throw ValidationError("--web-raw is the whole message: no --web and no --web-link.")
        }
    }

    /// What Android devices get; nil if nothing of their own is wanted.
    func androidContent() throws -> AndroidContent? {
        if let androidRaw { return .raw(Array(androidRaw.utf8)) }
        var members = try Self.object(android, of: "--android")
        var notification = members["notification"]?.members ?? [:]
        for (name, value) in [("channel_id", androidChannel), ("image", image)] {
            if let value { notification[name] = .text(value) }
        }
        if !notification.isEmpty { members["notification"] = .object(notification) }
        return members.isEmpty ? nil : .overrides(try JSONValue.encode(members, field: "--android"))
    }

    /// What browsers get; nil if nothing of their own is wanted.
    func browserContent() throws -> BrowserContent? {
        if let webRaw { return .raw(Array(webRaw.utf8)) }
        var members = try Self.object(web, of: "--web")
        for (name, value) in [("navigate", webLink), ("image", image)] {
            if let value { members[name] = .text(value) }
        }
        return members.isEmpty ? nil : .overrides(try JSONValue.encode(members, field: "--web"))
    }

    /// The members of a JSON object; none of nil.
    private static func object(_ text: String?, of option: String) throws -> [String: JSONValue] {
        guard let text else { return [:] }
        let bytes = Array(text.utf8)
        do throws(JSONFault) {
            return try JSONObjectScanner.scan(bytes)
        } catch {
            throw ValidationError("\(option) \(error.sentence(in: bytes)).")
        }
    }
}
