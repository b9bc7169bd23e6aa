/// What a client session keeps for one open stream, at an address that does not move while the stream is open.
struct StreamSlot {
    var tag: UInt64 = 0
    var streamID: Int32 = 0
    var status: UInt16 = 0
    var isOpen = false
    var wasSent = false
    var isComplete = false
    var isBodyCut = false
    var retryAfter: UInt32?
    var headers: PreparedHeaders?
    var body: PreparedBody?
    var bodySent = 0
    /// The answer's body so far; no memory while it is empty.
    var answer: UnsafeMutableRawBufferPointer?
    var answerLength = 0
    /// Room for the path and the id of the request, which HEADERS refers to until it is sent.
    let text: UnsafeMutablePointer<UInt8>
    var nextFree: UnsafeMutablePointer<StreamSlot>?

    /// How many bytes of path and id fit.
    static let textCapacity = 640

    /// The answer's body so far.
    var answerBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: answer?.baseAddress, count: answerLength) }

    /// Keeps `bytes` of the answer up to `limit` bytes in all.
    mutating func appendAnswer(_ bytes: UnsafeRawBufferPointer, limit: Int) {
        let count = min(bytes.count, limit - answerLength)
        isBodyCut = isBodyCut || count < bytes.count
        guard count > 0 else { return }
        if answerLength + count > (answer?.count ?? 0) {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: min(limit, max(128, (answerLength + count) * 2)),
                alignment: 1
            )
            if let answer {
                larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: answer[..<answerLength]))
                answer.deallocate()
            }
            answer = larger
        }
        answer?.baseAddress.map { target in
            UnsafeMutableRawBufferPointer(start: target + answerLength, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        answerLength += count
    }
}

/// A slab of stream slots with a free list: opening and closing streams allocates nothing once it has grown.
final class StreamSlots {
    typealias Slot = UnsafeMutablePointer<StreamSlot>

    private var blocks: [(slots: Slot, text: UnsafeMutablePointer<UInt8>)] = []
    private var free: Slot?
    private(set) var openCount = 0

    private static let blockSize = 64

    deinit {
        for block in blocks {
            for index in 0..<StreamSlots.blockSize { block.slots[index].answer?.deallocate() }
            block.slots.deinitialize(count: StreamSlots.blockSize)
            block.slots.deallocate()
            block.text.deallocate()
        }
    }

    func acquire() -> Slot {
        if free == nil { grow() }
        guard let slot = free else { preconditionFailure("growing leaves free slots") }
        free = slot.pointee.nextFree
        slot.pointee.nextFree = nil
        slot.pointee.isOpen = true
        openCount += 1
        return slot
    }

    func release(_ slot: Slot) {
        slot.pointee.answer?.deallocate()
        slot.pointee = StreamSlot(text: slot.pointee.text, nextFree: free)
        free = slot
        openCount -= 1
    }

    func forEachOpen(_ body: (Slot) -> Void) {
        for block in blocks {
            for index in 0..<StreamSlots.blockSize where block.slots[index].isOpen { body(block.slots + index) }
        }
    }

    private func grow() {
        let count = StreamSlots.blockSize
        let slots = Slot.allocate(capacity: count)
        let text = UnsafeMutablePointer<UInt8>.allocate(capacity: count * StreamSlot.textCapacity)
        for index in (0..<count).reversed() {
            (slots + index).initialize(
                to: StreamSlot(text: text + index * StreamSlot.textCapacity, nextFree: free)
            )
            free = slots + index
        }
        blocks.append((slots, text))
    }
}
