import CarillonCore
import Testing

@testable import CarillonDelivery

/// The messages in memory: each queue has its room, and what does not fit is read from the outbox later.
struct LoadedMessageStoreTests {
    private let game = OutboxQueue(lane: .bulk, app: AppID("com.example.game")!)
    private let shop = OutboxQueue(lane: .bulk, app: AppID("com.example.shop")!)
    private let start = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 1_000)
    private let pages = LoadedPageStore(limits: DeliveryEngine.Limits())

    /// Makes a store with room for eight messages, and for two of each queue at any rate. It knows that the outbox has
    /// these queues.
    private func makeStore(_ names: OutboxQueue...) -> LoadedMessageStore {
        var limits = DeliveryEngine.Limits()
        limits.messages = 8
        limits.reservedMessagesPerQueue = 2
        limits.minimumRereadMilliseconds = 500
        var store = LoadedMessageStore(limits: limits)
        var actions = DeliveryEngine.Actions()
        store.requestReads(&actions)
        store.queuesRead(Set(names), pages: pages)
        return store
    }

    private func message(_ id: UInt64, of queue: OutboxQueue) -> OutboundMessage {
        OutboundMessage(
            id: MessageID(rawValue: id),
            content: MessageContent(app: queue.app, pushType: .alert, payload: Array("{}".utf8)),
            sendableSince: start.wall, notAfter: nil, lane: queue.lane)
    }

    /// Accepts messages, and takes those that are admitted into memory; returns their ids.
    private func accept(_ ids: ClosedRange<UInt64>, of queue: OutboxQueue, _ store: inout LoadedMessageStore)
        -> [UInt64]
    {
        ids.filter { id in
            let outbound = message(id, of: queue)
            guard store.accept(outbound) == .intoMemory else { return false }
            store.insert(LoadedMessage(outbound, notAfter: nil, at: start))
            return true
        }
    }

    /// Returns the reads that are asked for now: `game after 3: at most 2`.
    private func reads(_ store: inout LoadedMessageStore) -> [String] {
        var actions = DeliveryEngine.Actions()
        store.requestReads(&actions)
        return (actions.readsQueues ? ["queues"] : [])
            + actions.messageReads.map { read in
                let name = read.queue == game ? "game" : "shop"
                return "\(name) after \(read.after?.rawValue ?? 0): at most \(read.limit)"
            }
    }

    @Test func `the first read asks for the queues`() {
        var store = LoadedMessageStore(limits: DeliveryEngine.Limits())
        #expect(reads(&store) == ["queues"])
        #expect(reads(&store) == [], "they are being read")
        store.queuesUnreadable()
        #expect(reads(&store) == ["queues"])
        store.queuesRead([game], pages: pages)
        #expect(reads(&store) == ["game after 0: at most 1024"])
        _ = store.readEnded(of: game, found: [], upTo: nil, isEnd: true)
        store.forgetIfIdle(game, in: pages)
        #expect(store.isIdle)
    }

    @Test func `a message with a pace waits between deliveries`() {
        var store = makeStore(game)
        for id in 1...2 as ClosedRange<UInt64> {
            store.insert(LoadedMessage(message(id, of: game), notAfter: nil, at: start))
        }
        let paced = MessageID(rawValue: 1)
        let other = MessageID(rawValue: 2)
        store[paced]?.setPace(10, at: start)
        var waits = [store.paceWaitMilliseconds(of: paced)]
        var isTaken = (0..<2).map { _ in store.takePace(of: paced, at: start.uptime) }
        waits.append(store.paceWaitMilliseconds(of: paced))
        isTaken.append(store.takePace(of: paced, at: start.uptime + 100))
        #expect(isTaken == [true, false, true])
        #expect(waits == [nil, 100])
        let isOtherTaken = store.takePace(of: other, at: start.uptime)
        #expect(isOtherTaken, "it has no pace")
        #expect(store.paceWaitMilliseconds(of: other) == nil)
    }

    @Test func `no queue has more than half of the room`() {
        var store = makeStore()
        #expect(accept(1...6, of: game, &store) == [1, 2, 3, 4])
        #expect(accept(7...9, of: shop, &store) == [7, 8, 9], "the others have their room")
        let other = OutboxQueue(lane: .interactive, app: game.app)
        #expect(accept(10...13, of: other, &store) == [10, 11], "each has two however many the others have")
        #expect(store.count == 9)
    }

    @Test func `a message without room is read once half of the share is free`() throws {
        var store = makeStore()
        _ = accept(1...6, of: game, &store)
        #expect(reads(&store) == [])
        for id in 1...2 as ClosedRange<UInt64> { store.remove(try #require(store[MessageID(rawValue: id)])) }
        #expect(reads(&store) == ["game after 4: at most 2"])
        let entries = store.readEnded(
            of: game, found: [5, 6].map { message($0, of: game) }, upTo: nil, isEnd: true)
        #expect(entries.map(\.id.rawValue) == [5, 6])
        #expect(reads(&store) == [], "nothing more is on disk")
    }

    /// A read returns the messages as they were when it began.
    @Test func `a change during a read corrects the message that is read`() {
        var store = makeStore(game)
        #expect(reads(&store) == ["game after 0: at most 4"])
        let ids = (1...4).map { MessageID(rawValue: $0) }
        store.correctRead(of: ids[0], by: .cancel)
        store.correctRead(of: ids[0], by: .setPace(9))
        store.correctRead(of: ids[1], by: .leaveOut)
        store.correctRead(of: ids[2], by: .setPace(7))
        let entries = store.readEnded(
            of: game, found: (1...4).map { message($0, of: game) }, upTo: nil, isEnd: true)
        #expect(
            entries.map { "\($0.id.rawValue) \($0.isCancelled) \($0.pace ?? 0)" } == [
                "1 true 0", "3 false 7", "4 false 0",
            ])
    }

    /// The read may have begun before the message came: it is read again from there.
    @Test func `a message that comes during a read is not missed`() {
        var store = makeStore(game)
        _ = reads(&store)
        #expect(accept(3...3, of: game, &store) == [])
        _ = store.readEnded(of: game, found: [], upTo: MessageID(rawValue: 5), isEnd: true)
        #expect(reads(&store) == ["game after 2: at most 4"])
    }

    @Test func `a queue is read again from its beginning at its time`() {
        var store = makeStore(game)
        _ = reads(&store)
        _ = store.readEnded(of: game, found: [], upTo: MessageID(rawValue: 5), isEnd: true)
        store.scheduleReread(of: game, at: 2_000)
        store.rereadDue(at: 1_999)
        #expect(reads(&store) == [])
        store.rereadDue(at: 2_000)
        #expect(reads(&store) == ["game after 0: at most 4"])
        store.scheduleReread(of: game, at: 2_001)
        #expect(store.rereadAt == 2_500, "not before the interval between two such reads")
    }

    @Test func `queues take turns to read a page`() {
        var store = makeStore()
        for (ids, name) in [(1...2, game), (3...3, shop)] as [(ClosedRange<UInt64>, OutboxQueue)] {
            for id in accept(ids, of: name, &store) { store.requestPage(of: MessageID(rawValue: id)) }
        }
        #expect(store.turnCount(of: .bulk) == 2)
        #expect(store.turnCount(of: .interactive) == 0)
        var turns: [String] = []
        for _ in 0..<4 {
            guard let name = store.beginTurn(of: .bulk) else { break }
            if case .page(let key, let wasSuspended) = store.nextPage(of: name, mayBegin: true) {
                turns.append("\(key.message.rawValue).\(key.page) \(wasSuspended)")
            }
            store.endTurn(of: name, in: pages)
        }
        #expect(turns == ["1.0 false", "3.0 false", "2.0 false"])
    }

    @Test func `silent pushes in memory are counted`() {
        var store = makeStore()
        var silent = message(1, of: game)
        silent.content.pushType = .background
        let loaded = [silent, message(2, of: game)].map { LoadedMessage($0, notAfter: nil, at: start) }
        for message in loaded { store.insert(message) }
        #expect(store.silentCount == 1)
        for message in loaded { store.remove(message) }
        #expect(store.silentCount == 0)
    }
}
