package import CarillonCore

/// What is counted of the engine besides its load.
extension DeliveryEngine {
    /// The app of a message in memory; a record of outcomes belongs to one that is.
    package func app(of message: MessageID) -> AppID? {
        runs[message]?.message.content.app
    }
}
