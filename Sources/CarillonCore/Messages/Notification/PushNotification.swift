/// What a push says, in the fields of APNs; `payload(for:)` makes the JSON of it.
///
/// A field that is not set is not in the payload. Not called `Notification`: Foundation has one.
public struct PushNotification: Hashable, Sendable {
    /// What is shown.
    public var alert: Alert?
    /// The number on the app's icon; 0 takes it away.
    public var badge: Int?
    /// What is heard. Of a Live Activity it goes with the alert.
    public var sound: Sound?
    /// Notifications of one thread are grouped.
    public var threadID: String?
    /// The name of a category that the app has registered: it brings the buttons.
    public var category: String?
    /// Wakes the app in the background.
    public var isContentAvailable: Bool
    /// Lets the app's service extension change the notification before it is shown.
    public var isContentMutable: Bool
    /// How much it may interrupt.
    public var interruptionLevel: InterruptionLevel?
    /// What stands first in the summary: 0 to 1; of a Live Activity any number.
    public var relevanceScore: Double?
    /// Which window of the app is brought forward.
    public var targetContentID: String?
    /// What the app's Focus filter compares.
    public var filterCriteria: String?
    /// Reloads widgets or controls.
    public var isContentChanged: Bool
    /// What is put into the URL of a Safari push.
    public var urlArguments: [String]?
    /// What becomes of a Live Activity.
    public var liveActivity: LiveActivity?
    /// The magic of a managed device; stands beside `aps`.
    public var mdm: String?
    /// What the app itself reads: stands beside `aps`, which no name here may be.
    public var data: [String: JSONValue]

    /// Makes a notification.
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

    /// How much a notification may interrupt.
    public enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
        /// Into the list, without light or sound.
        case passive
        /// At once; what is used without a level.
        case active
        /// Also through a Focus and the scheduled summary.
        case timeSensitive = "time-sensitive"
        /// Also through the silent switch; needs Apple's permission.
        case critical
    }
}
