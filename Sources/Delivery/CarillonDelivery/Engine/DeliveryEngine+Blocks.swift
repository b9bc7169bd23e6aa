package import CarillonCore

/// The messages whose pages several nodes of a cluster send. Each node claims blocks of pages.
extension DeliveryEngine {
    /// The state of a message that this node shares, as the engine knows it.
    package struct SharedMessageSummary: Hashable, Sendable {
        /// The number of pages that the node holds and has not read.
        package var unreadPageCount: UInt32
        /// True if the node holds no block of the message that has not ended.
        package var isIdle: Bool
        /// True if a recipient could get an outcome now: a pool of the app can be used, no pool serves the app, or the
        /// message is cancelled or past its time.
        package var canEnd: Bool
    }

    /// Takes over the pages of a message that this node has claimed.
    ///
    /// - Parameters:
    ///   - outbound: the message, with all blocks that the node holds.
    ///   - pages: the pages that it has claimed now.
    package mutating func pagesClaimed(_ pages: [PageBlock], of outbound: OutboundMessage, at now: Moment) {
        guard let loaded = messages[outbound.id], !loaded.properties.isUnloading else {
            return messageAccepted(outbound, at: now)
        }
        // If the node sends the message as a whole, the engine does not know which pages are being sent.
        guard loaded.blockProgress != nil else { return unload(outbound.id, returning: outbound, at: now) }
        messages[outbound.id]?.add(pages)
        messages.requestPage(of: outbound.id)
    }

    package func contains(_ message: MessageID) -> Bool { messages[message] != nil }

    /// Returns the state of a shared message that decides how many pages to claim.
    package func summary(ofShared outbound: OutboundMessage, at now: Moment) -> SharedMessageSummary {
        let progress = messages[outbound.id]?.blockProgress
        let properties = LoadedMessage.Properties(
            outbound, notAfter: outbound.notAfter ?? policy.phoneCallEnd(of: outbound), at: now)
        return SharedMessageSummary(
            unreadPageCount: progress?.unreadPageCount ?? 0, isIdle: progress?.held.isEmpty ?? true,
            canEnd: pools.availability.canEndRecipients(of: properties, at: now))
    }

    /// Removes a message from memory, because another member is its only sender from now on. Pushes on the wire still
    /// come back.
    package mutating func messageTakenOver(_ message: MessageID, at now: Moment) {
        messages.correctRead(of: message, by: .leaveOut)
        unload(message, returning: nil, at: now)
    }

    mutating func endBlocks(of message: MessageID) {
        guard messages.hasBlocks(message) else { return }
        actions.endBlocks(messages[message]?.takeEndedBlocks() ?? [], of: message)
    }
}
