import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The options for the content that only Android devices get.
struct AndroidOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The notification channel.", valueName: "id"))
    var androidChannel: String?

    @Option(help: ArgumentHelp("The address of a picture.", valueName: "url"))
    var androidImage: String?

    @Option(
        help: ArgumentHelp(
            "Members of FCM's message.android, which override what follows from the content.", valueName: "json"))
    var android: String?

    @Option(help: ArgumentHelp("FCM's message without its target, instead of the content.", valueName: "json"))
    var androidRaw: String?

    func validate() throws {
        guard androidRaw == nil || android == nil && androidChannel == nil && androidImage == nil else {
            throw ValidationError("--android-raw is the whole message: it excludes the other options for Android.")
        }
    }

    /// Returns the content for Android devices; nil if no option gives one.
    func content() throws -> AndroidContent? {
        if let androidRaw { return .raw(Array(androidRaw.utf8)) }
        var members = try android.map { try JSONOption.object($0, of: "--android") } ?? [:]
        var notification = members["notification"]?.members ?? [:]
        for (name, value) in [("channel_id", androidChannel), ("image", androidImage)] {
            if let value { notification[name] = .text(value) }
        }
        if !notification.isEmpty { members["notification"] = .object(notification) }
        return members.isEmpty ? nil : .overrides(try JSONValue.encode(members, field: "--android"))
    }
}

/// The value of an option that is JSON.
enum JSONOption {
    /// Returns the members of an object.
    static func object(_ text: String, of option: String) throws -> [String: JSONValue] {
        let bytes = Array(text.utf8)
        do throws(JSONError) {
            return try JSONObjectParser.parse(bytes)
        } catch {
            throw ValidationError("\(option) \(error.sentence(in: bytes)).")
        }
    }
}
