import CarillonClusterTestKit
import Foundation
import Synchronization

/// A proxy between a node and PostgreSQL that knows where messages begin, and can cut the connection at each.
///
/// It has a thread for each connection. Without a plan it forwards everything.
package final class MessageProxy: Sendable {
    /// A plan of the proxy, which it carries out once.
    package enum Plan: Sendable, Equatable {
        /// The connection is cut before the message of the node with this number, counted from the beginning of the
        /// next append, is forwarded.
        case cutBeforeRequest(Int)
        /// The connection is cut before the answer of the log database with this number, counted so, is forwarded.
        case cutBeforeAnswer(Int)
        /// The connection is cut before the commit of an append.
        case loseCommit
        /// The connection is cut before the answer to the commit of an append is forwarded.
        case loseAnswer
        /// The connection of the node is cut before its placement of an append, which goes to the log database when it
        /// is released.
        case holdPlacement
    }

    private struct Inside: Sendable {
        var plan: Plan?
        var isReleased = false
        /// The numbers of messages of the node and of the log database since the beginning of the plan's append.
        var requests = 0
        var answers = 0
        /// True from the beginning of the plan's append to its end.
        var isCounting = false
        /// True once the commit of the append was on its way.
        var isCommitting = false
        /// True once the plan was carried out.
        var isDone = false
    }

    package let port: Int
    private let target: Int
    private let listener: Int32
    private let inside = Mutex(Inside())
    /// The number of times that the node has asked for entries.
    private let readCount = Atomic<Int>(0)

    package init(to target: Int) throws {
        guard let listener = LoopbackSocket.listener() else { throw ScenarioFailure(description: "no free port") }
        self.listener = listener.descriptor
        port = listener.port
        self.target = target
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let client = accept(listener.descriptor, nil, nil)
                guard client >= 0 else { return }
                guard let self else {
                    close(client)
                    return
                }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Sets the plan that is carried out next, once.
    package func set(_ plan: Plan) {
        inside.withLock { inside in
            inside = Inside(plan: plan)
        }
    }

    /// Sends the messages that are held to the log database.
    package func release() { inside.withLock { $0.isReleased = true } }

    /// The number of times that the node has asked for entries, whether it waited for them or not.
    package var reads: Int { readCount.load(ordering: .sequentiallyConsistent) }

    /// True once the plan was carried out.
    package var isDone: Bool { inside.withLock { $0.isDone } }

    // MARK: One connection

    private enum Fate {
        case forward
        case cut
        case hold
    }

    private func serve(_ client: Int32) {
        guard let server = LoopbackSocket.connected(to: target) else {
            close(client)
            return
        }
        defer {
            close(client)
            close(server)
        }
        LoopbackSocket.setNoDelay(client)
        LoopbackSocket.setNoDelay(server)
        var requests = Stream(isFromNode: true)
        var answers = Stream(isFromNode: false)
        while true {
            var descriptors = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&descriptors, 2, -1) > 0 else { return }
            if descriptors[0].revents != 0 {
                guard let messages = requests.receive(client) else { return }
                for (index, message) in messages.enumerated() {
                    switch fate(ofRequest: message) {
                    case .forward: guard Self.send(message, to: server) else { return }
                    case .cut: return
                    case .hold:
                        shutdown(client, Int32(SHUT_RDWR))
                        return deliverLater(messages[index...], to: server)
                    }
                }
            }
            if descriptors[1].revents != 0 {
                guard let messages = answers.receive(server) else { return }
                for message in messages {
                    guard fate(ofAnswer: message) == .forward, Self.send(message, to: client) else { return }
                }
            }
        }
    }

    private func deliverLater(_ messages: ArraySlice<[UInt8]>, to server: Int32) {
        while !inside.withLock({ $0.isReleased }) { poll(nil, 0, 1) }
        for message in messages { _ = Self.send(message, to: server) }
        // The log database ends the session when it has answered: the end of the node follows its messages.
        shutdown(server, Int32(SHUT_WR))
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(server, &bytes, bytes.count) > 0 {}
        inside.withLock { $0.isDone = true }
    }

    private func fate(ofRequest message: [UInt8]) -> Fate {
        let statement = Stream.statement(of: message)
        if statement == "read" { readCount.add(1, ordering: .sequentiallyConsistent) }
        return inside.withLock { inside in
            guard let plan = inside.plan else { return .forward }
            // An append begins with this statement. After the commit of the plan's append it is that of another.
            if statement == "begin", !inside.isCommitting { inside.isCounting = true }
            guard inside.isCounting else { return .forward }
            defer { inside.requests += 1 }
            let fate: Fate =
                switch plan {
                case .cutBeforeRequest(let number) where inside.requests >= number: .cut
                case .loseCommit where statement == "commit": .cut
                case .holdPlacement where statement == "lock_head": .hold
                default: .forward
                }
            if statement == "commit" { inside.isCommitting = true }
            if fate != .forward { inside.plan = nil }
            if fate == .cut { inside.isDone = true }
            return fate
        }
    }

    private func fate(ofAnswer message: [UInt8]) -> Fate {
        let isCommitted = message.first == UInt8(ascii: "C") && message.dropFirst(5).starts(with: "COMMIT".utf8)
        return inside.withLock { inside in
            guard let plan = inside.plan, inside.isCounting else { return .forward }
            defer { inside.answers += 1 }
            let fate: Fate =
                switch plan {
                case .cutBeforeAnswer(let number) where inside.answers >= number: .cut
                case .loseAnswer where isCommitted: .cut
                default: .forward
                }
            if fate == .cut { (inside.plan, inside.isDone) = (nil, true) }
            // The end of the append: the log database is ready for what is next.
            if inside.isCommitting, message.first == UInt8(ascii: "Z") { inside.isCounting = false }
            return fate
        }
    }

    private static func send(_ message: [UInt8], to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < message.count {
            let count = message.withUnsafeBytes { raw in
                Foundation.send(
                    descriptor, raw.baseAddress.map { $0 + offset }, raw.count - offset, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    /// The messages of one direction, in PostgreSQL's protocol, version 3, without TLS.
    private struct Stream {
        let isFromNode: Bool
        private var bytes: [UInt8] = []
        /// True until the first message was read. That of a node has no letter.
        private var isFirst = true

        init(isFromNode: Bool) { self.isFromNode = isFromNode }

        /// Reads the messages that have come; nil at the end.
        mutating func receive(_ descriptor: Int32) -> [[UInt8]]? {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            var messages: [[UInt8]] = []
            while true {
                let letter = isFromNode && isFirst ? 0 : 1
                guard bytes.count >= letter + 4 else { return messages }
                let size = letter + bytes[letter..<letter + 4].reduce(0) { $0 << 8 | Int($1) }
                guard bytes.count >= size else { return messages }
                messages.append(Array(bytes[..<size]))
                bytes.removeFirst(size)
                isFirst = false
            }
        }

        /// Returns the name of the statement that a message binds values to; nil for other messages.
        static func statement(of message: [UInt8]) -> String? {
            guard message.first == UInt8(ascii: "B") else { return nil }
            let names = message.dropFirst(5).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            return names.count > 1 ? String(decoding: names[1], as: UTF8.self) : nil
        }
    }
}
