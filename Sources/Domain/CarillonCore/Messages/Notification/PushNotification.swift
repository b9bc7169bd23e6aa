/// A notification with the fields of APNs. `payload(for:)` makes its JSON, from which the messages to other providers
/// are made.
///
/// ```swift
/// var notification = PushNotification(alert: .init(title: "Raid", body: "It begins"), badge: 1, sound: .system)
/// notification.interruptionLevel = .timeSensitive
/// notification.data = ["raid": 7, "place": "The keep"]
/// ```
///
/// The payload has only the fields that are set. The type is not called `Notification` because Foundation has a type of
/// that name.
public struct PushNotification: Hashable, Sendable {
    /// The visible text.
    public var alert: Alert?
    /// The number on the app's icon; 0 removes it.
    public var badge: Int?
    /// The sound. In a Live Activity it belongs to the alert.
    public var sound: Sound?
    /// The thread of the notification; notifications of one thread are grouped.
    public var threadID: String?
    /// The name of a category that the app has registered; it decides the buttons.
    public var category: String?
    /// True if the push wakes the app in the background.
    public var isContentAvailable: Bool
    /// True if the app's service extension may change the notification before it is shown.
    public var isContentMutable: Bool
    /// Says how much the notification may interrupt the user; nil for the system's default.
    public var interruptionLevel: InterruptionLevel?
    /// The rank in the summary: 0 to 1; for a Live Activity any number.
    public var relevanceScore: Double?
    /// The window of the app that is brought to the front.
    public var targetContentID: String?
    /// The value that the app's Focus filter compares.
    public var filterCriteria: String?
    /// True if widgets or controls reload.
    public var isContentChanged: Bool
    /// The arguments of the URL of a Safari push.
    public var urlArguments: [String]?
    /// The change of a Live Activity.
    public var liveActivity: LiveActivity?
    /// The `PushMagic` of a managed device; a member beside `aps`.
    public var mdm: String?
    /// The app's own members, beside `aps`; none may be named `aps`.
    public var data: [String: JSONValue]

    /// Makes a notification; a field that is left out is not in the payload. Each argument is a key of the payload, and
    /// a call names the few that it needs.
    public init(
        alert: Alert? = nil,
        badge: Int? = nil,
        sound: Sound? = nil,
        threadID: String? = nil,
        category: String? = nil,
        isContentAvailable: Bool = false,
        isContentMutable: Bool = false,
        interruptionLevel: InterruptionLevel? = nil,
        relevanceScore: Double? = nil,
        targetContentID: String? = nil,
        filterCriteria: String? = nil,
        isContentChanged: Bool = false,
        urlArguments: [String]? = nil,
        liveActivity: LiveActivity? = nil,
        mdm: String? = nil,
        data: [String: JSONValue] = [:]
    ) {
        self.alert = alert
        self.badge = badge
        self.sound = sound
        self.threadID = threadID
        self.category = category
        self.isContentAvailable = isContentAvailable
        self.isContentMutable = isContentMutable
        self.interruptionLevel = interruptionLevel
        self.relevanceScore = relevanceScore
        self.targetContentID = targetContentID
        self.filterCriteria = filterCriteria
        self.isContentChanged = isContentChanged
        self.urlArguments = urlArguments
        self.liveActivity = liveActivity
        self.mdm = mdm
        self.data = data
    }

    /// Says how much a notification may interrupt the user.
    public enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
        /// A notification that is added to the list without lighting the screen or playing a sound.
        case passive
        /// A notification that is shown at once; the default.
        case active
        /// A notification that is shown also during a Focus, and not held for the scheduled summary.
        case timeSensitive = "time-sensitive"
        /// A notification that also bypasses the silent switch; needs Apple's permission.
        case critical
    }
}
