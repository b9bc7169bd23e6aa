import ArgumentParser
import CarillonArguments
import CarillonCore

/// The options for the content that only browsers get.
struct WebOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The https address that a click opens.", valueName: "url"))
    var webUrl: String?

    @Option(help: ArgumentHelp("The address of an icon.", valueName: "url"))
    var webIcon: String?

    @Option(help: ArgumentHelp("The address of a picture.", valueName: "url"))
    var webImage: String?

    @Option(
        help: ArgumentHelp(
            "Members that override what follows from the content: notification, mutable, ttl, urgency, topic.",
            valueName: "json"))
    var web: String?

    @Option(help: ArgumentHelp("What the service worker reads, instead of the content.", valueName: "json"))
    var webRaw: String?

    func validate() throws {
        guard webRaw == nil || web == nil && webUrl == nil && webIcon == nil && webImage == nil else {
            throw ValidationError("--web-raw is the whole message: it excludes the other options for browsers.")
        }
    }

    /// Returns the content for browsers; nil if no option gives one.
    func content() throws -> WebContent? {
        if let webRaw { return .raw(Array(webRaw.utf8)) }
        var members = try web.map { try JSONOption.object($0, of: "--web") } ?? [:]
        let given = members["notification"] ?? .null
        guard given == .null || given.members != nil else {
            throw ValidationError("--web notification must be an object.")
        }
        var notification = given.members ?? [:]
        for (name, value) in [("navigate", webUrl), ("icon", webIcon), ("image", webImage)] {
            if let value { notification[name] = .text(value) }
        }
        if !notification.isEmpty { members["notification"] = .object(notification) }
        return members.isEmpty ? nil : .overrides(try JSONValue.encode(members, field: "--web"))
    }
}
