import CarillonCore

/// The subscription that a caller asks for.
struct EventStreamOptions: Sendable {
    let name: String
    let start: EventStart
    let apps: [AppID]
    let kinds: [Event.Kind]
    let window: Int
    let timeout: Duration
    /// The count of the elements that the program has taken, which the program raises itself.
    let taken = TakenCount()
}
