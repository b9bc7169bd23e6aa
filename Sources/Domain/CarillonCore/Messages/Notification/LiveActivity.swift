/// The Live Activity that a notification changes.
extension PushNotification {
    /// A change of a Live Activity, for push type `liveactivity`. Times are sent in whole seconds.
    public struct LiveActivity: Hashable, Sendable {
        /// The time of the state; the device ignores a state that is older than the one it shows.
        public var timestamp: Timestamp
        /// The start, the update or the end of the activity.
        public var event: Event
        /// The state to show, as the app's `ContentState` decodes it; nil only for `end`.
        public var contentState: [String: JSONValue]?
        /// The time at which the state that is shown becomes out of date.
        public var staleDate: Timestamp?
        /// The time at which an ended activity is removed from the screen, at most four hours after its end. A past
        /// time removes it at once.
        public var dismissalDate: Timestamp?

        /// Makes a change of an activity. The state is required unless the activity ends.
        public init(
            timestamp: Timestamp,
            event: Event,
            contentState: [String: JSONValue]? = nil,
            staleDate: Timestamp? = nil,
            dismissalDate: Timestamp? = nil
        ) {
            self.timestamp = timestamp
            self.event = event
            self.contentState = contentState
            self.staleDate = staleDate
            self.dismissalDate = dismissalDate
        }

        /// The effect of the push on the activity: the key `event` of `aps`.
        public enum Event: Hashable, Sendable {
            /// The activity starts; the notification needs an alert.
            case start(Start)
            /// The activity shows another state.
            case update
            /// The activity ends.
            case end
        }

        /// The additional fields of a start.
        public struct Start: Hashable, Sendable {
            /// The name of the app's `ActivityAttributes`.
            public var attributesType: String
            /// The attributes, which never change, as `ActivityAttributes` decodes them.
            public var attributes: [String: JSONValue]
            /// Says how the device gets updates; from iOS 18.
            public var input: Input?

            /// Makes the fields of a start. Without an input, the payload does not say how the device gets updates.
            public init(attributesType: String, attributes: [String: JSONValue], input: Input? = nil) {
                self.attributesType = attributesType
                self.attributes = attributes
                self.input = input
            }
        }

        /// Says how a device gets updates.
        public enum Input: Hashable, Sendable {
            /// Updates come by the broadcast channel of this id.
            case channel(String)
            /// Updates come by a push token, which the app reports.
            case token
        }

        /// The members that are added to `aps`.
        var json: [String: JSONValue] {
            var members: [String: JSONValue] = ["timestamp": Self.seconds(timestamp)]
            switch event {
            case .start(let start):
                members["event"] = "start"
                members["attributes-type"] = .text(start.attributesType)
                members["attributes"] = .object(start.attributes)
                switch start.input {
                case .channel(let channel): members["input-push-channel"] = .text(channel)
                case .token: members["input-push-token"] = 1
                case nil: break
                }
            case .update: members["event"] = "update"
            case .end: members["event"] = "end"
            }
            members["content-state"] = contentState.map { .object($0) }
            members["stale-date"] = staleDate.map(Self.seconds)
            members["dismissal-date"] = dismissalDate.map(Self.seconds)
            return members
        }

        private static func seconds(_ time: Timestamp) -> JSONValue {
            // A thousandth of a 64-bit number fits into 63 bits.
            .integer(Int64(time.milliseconds / 1_000))
        }
    }
}
