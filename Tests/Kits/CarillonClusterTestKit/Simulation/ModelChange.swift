import CarillonCluster
import CarillonCore

/// A change of the model registry, with a number by which the judge knows it.
struct ModelChange: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        /// The change sets a cell. The answer is the value before.
        case swap(cell: UInt32, value: UInt64)
        case register(device: UInt32)
        case unregister(device: UInt32)
        case send(ModelMessage.Form)
        case cancel(MessageID)
        case setPace(MessageID, Bool)
        /// The change records outcomes of recipients of one page. The answer is the number of those that are new.
        case outcomes(MessageID, page: UInt32, [Outcome])
        case claim(MessageID, pages: UInt32)
        case endBlock(MessageID, blockAt: UInt32)
        case releaseBlock(MessageID, blockAt: UInt32)
    }

    struct Outcome: Hashable, Sendable {
        var recipient: UInt8
        var outcome: ModelOutcome
    }

    let number: UInt64
    let action: Action

    /// True if the change is not answered before all nodes know it.
    var isUrgent: Bool {
        switch action {
        case .unregister, .cancel, .setPace: true
        case .swap, .register, .send, .outcomes, .claim, .endBlock, .releaseBlock: false
        }
    }
}

extension [ModelChange] {
    /// The changes as the bytes of a batch.
    var bytes: [UInt8] {
        var words: [UInt64] = []
        for change in self {
            words.append(change.number)
            switch change.action {
            case .swap(let cell, let value): words += [1, UInt64(cell), value]
            case .register(let device): words += [2, UInt64(device)]
            case .unregister(let device): words += [3, UInt64(device)]
            case .send(let form):
                let flags = (form.isInteractive ? 1 : 0) | (form.hasPace ? 2 : 0) | (form.isSilent ? 4 : 0) as UInt64
                words += [4, UInt64(form.pages), flags]
            case .cancel(let message): words += [5, message.rawValue]
            case .setPace(let message, let hasPace): words += [6, message.rawValue, hasPace ? 1 : 0]
            case .outcomes(let message, let page, let outcomes):
                words += [7, message.rawValue, UInt64(page), UInt64(outcomes.count)]
                words += outcomes.map { UInt64($0.recipient) << 8 | UInt64($0.outcome.rawValue) }
            case .claim(let message, let pages): words += [8, message.rawValue, UInt64(pages)]
            case .endBlock(let message, let first): words += [9, message.rawValue, UInt64(first)]
            case .releaseBlock(let message, let first): words += [10, message.rawValue, UInt64(first)]
            }
        }
        return words.withUnsafeBytes { [UInt8]($0) }
    }

    /// Reads ``bytes``, which this process has written.
    init(_ bytes: [UInt8]) {
        var words: [UInt64] = []
        bytes.withUnsafeBytes { raw in
            for offset in stride(from: 0, to: raw.count, by: 8) {
                words.append(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
        var next = 0
        func word() -> UInt64 {
            next += 1
            return words[next - 1]
        }
        func small() -> UInt32 { UInt32(word()) }
        func message() -> MessageID { MessageID(rawValue: word()) }
        self = []
        while next < words.count {
            let number = word()
            let action: ModelChange.Action
            switch word() {
            case 1: action = .swap(cell: small(), value: word())
            case 2: action = .register(device: small())
            case 3: action = .unregister(device: small())
            case 4:
                let pages = small()
                let flags = word()
                action = .send(
                    ModelMessage.Form(
                        pages: pages, isInteractive: flags & 1 > 0, hasPace: flags & 2 > 0, isSilent: flags & 4 > 0))
            case 5: action = .cancel(message())
            case 6: action = .setPace(message(), word() == 1)
            case 7:
                let id = message()
                let page = small()
                let count = word()
                let outcomes = (0..<count).map { _ in
                    let packed = word()
                    return ModelChange.Outcome(
                        recipient: UInt8(packed >> 8), outcome: ModelOutcome(rawValue: UInt8(packed & 255)) ?? .pending)
                }
                action = .outcomes(id, page: page, outcomes)
            case 8: action = .claim(message(), pages: small())
            case 9: action = .endBlock(message(), blockAt: small())
            default: action = .releaseBlock(message(), blockAt: small())
            }
            append(ModelChange(number: number, action: action))
        }
    }
}
