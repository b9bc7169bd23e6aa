import CarillonCore

/// The message that the delivery engine gets, made from the rows of a stored message.
extension OutboundMessage {
    init(_ id: MessageID, record: MessageRecord, progress: MessageProgress) {
        self.init(
            id: id,
            content: record.content,
            sendableSince: progress.sendableSince ?? .zero,
            notAfter: record.notAfter,
            lane: record.lane,
            isLive: progress.isLive,
            floor: progress.floor,
            pace: progress.pace,
            isCancelled: progress.isCancelled,
            channel: record.channel
        )
    }
}
