extension PushNotification {
    /// What becomes of a Live Activity, for push type `liveactivity`. Times are sent in whole seconds.
    public struct LiveActivity: Hashable, Sendable {
        /// When the state held; the device ignores what is older than what it shows.
        public var timestamp: Timestamp
        /// What happens.
        public var event: Event
        /// The state to show, as the app's `ContentState` decodes it. Only `end` may leave it out.
        public var contentState: [String: JSONValue]?
        /// When what is shown counts as out of date.
        public var staleDate: Timestamp?
        /// When an ended activity leaves the screen; at the latest four hours after its end, at once if past.
        public var dismissalDate: Timestamp?

        /// Makes it.
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

        /// What happens.
        public enum Event: Hashable, Sendable {
            /// It begins; the notification needs an alert.
            case start(Start)
            /// It shows something else.
            case update
            /// It is over.
            case end
        }

        /// What only a start says.
        public struct Start: Hashable, Sendable {
            /// The name of the app's `ActivityAttributes`.
            public var attributesType: String
            /// What never changes, as these decode it.
            public var attributes: [String: JSONValue]
            /// How the device is to get updates; from iOS 18.
            public var input: Input?

            /// Makes it.
            public init(attributesType: String, attributes: [String: JSONValue], input: Input? = nil) {
                self.attributesType = attributesType
                self.attributes = attributes
                self.input = input
            }
        }

        /// How a device gets updates.
        public enum Input: Hashable, Sendable {
            /// By a broadcast channel, by its id.
            case channel(String)
            /// By a push token, which the app is asked to report.
            case token
        }

        /// The members that it adds to `aps`.
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
            // A thousandth of 64 bits fits into 63.
            .integer(Int64(time.milliseconds / 1_000))
        }
    }
}
