package import CarillonCore

/// The updates of running messages.
extension DeliveryEngine {
    /// Cancels a message: no delivery is handed out any more, and all recipients that are left get the outcome
    /// `cancelled`. A paused message that is not in memory comes back by `messageAccepted` to get these outcomes.
    package mutating func cancel(_ id: MessageID, at now: Moment) {
        messages.record(.cancel, about: id)
        guard messages.terms(of: id) != nil else { return }
        messages[id]?.cancel()
        endWaiting(of: id, at: now)
    }

    /// Removes a message that was paused from memory; it comes back by `messageAccepted`.
    package mutating func pause(_ id: MessageID, at now: Moment) {
        messages.record(.skip, about: id)
        unload(id, returning: nil, at: now)
    }

    package mutating func setPace(_ pace: UInt32?, of id: MessageID, at now: Moment) {
        messages.record(.setPace(pace), about: id)
        guard let run = messages[id] else { return }
        messages[id]?.setPace(pace, at: now)
        for number in run.busyPages.sorted() {
            withPage(PageKey(message: id, page: number), at: now) { engine, page in
                engine.keepPacedRecipients(of: &page)
                engine.enqueueReady(&page)
            }
        }
    }

    /// Returns roughly the number of devices of a message that ended in the last second; nil if the message is not in
    /// memory.
    package func rate(of id: MessageID, at now: Moment) -> UInt32? {
        messages[id]?.rate(at: now.uptime)
    }
}
