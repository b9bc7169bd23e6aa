package import CarillonHTTP2
import CarillonHTTP2Server
import Glibc
package import NIOCore

/// How long responses in reversed order wait for missing ones.
private let reverseTimeout = TimeAmount.milliseconds(50)
/// How long the second GOAWAY of a graceful end waits for requests in flight.
private let grace = TimeAmount.milliseconds(200)

extension SimulatorConnection {
    // MARK: Requests

    /// Returns the plan for a request, after all faults that are about it.
    ///
    /// - Parameters:
    ///   - key: the text with which the prefixes of rules are compared, which names the device; nil if the request
    ///     names none.
    ///   - delayMilliseconds: the delay of every response.
    ///   - now: the milliseconds since 1970.
    package func faultPlan(
        of key: UnsafeRawBufferPointer?, stream: Int32, faults: inout Faults, delayMilliseconds: Int64, at now: Int64
    ) throws(HTTP2Error) -> FaultPlan {
        var plan = FaultPlan(delayMilliseconds: delayMilliseconds)
        for fault in faults.happening(.request, on: key, at: now) {
            if !fault.isProcessed { plan.isProcessed = false }
            switch fault.action {
            case .reset(let code): plan.ending = .reset(code)
            case .silence: plan.ending = .silence
            case .delay(let delay): plan.addDelay(milliseconds: faults.sampleMilliseconds(of: delay))
            case .reverse(let count): plan.ending = .reversed(among: count)
            case .split(let bytes): plan.split(bytes)
            case .skew(let seconds): plan.skewSeconds += seconds
            case .goAway(let goAway) where !fault.isProcessed: try sendGoAway(goAway, refusing: stream)
            case .frame(let frame): faultActions.append(frame.bytes(stream: stream))
            case .close, .freeze:
                // Earlier requests are answered; this one is not, and later ones are ignored.
                plan.ending = .silence
                faultActions.lastStream = min(faultActions.lastStream, stream)
                faultActions.applyAfterBurst(fault.action)
            default: faultActions.applyAfterBurst(fault.action)
            }
        }
        return plan
    }

    /// Ends a request that was not processed.
    package func endUnprocessed(_ stream: Int32, by plan: FaultPlan) throws(HTTP2Error) {
        if case .reset(let code) = plan.ending { try http.reset(stream: stream, code: code) }
    }

    /// Records that a request was processed: no GOAWAY refuses it, even if its response waits.
    package func promiseResponse(on stream: Int32) {
        faultActions.lastPromised = max(faultActions.lastPromised, stream)
    }

    /// Delivers a response as the plan says. `send` sends it.
    package func deliver(
        on stream: Int32, as plan: FaultPlan, context: ChannelHandlerContext, _ send: @escaping () throws -> Void
    ) throws {
        switch plan.ending {
        case .silence: break
        case .reset(let code): try http.reset(stream: stream, code: code)
        case .reversed(let count): reverse((stream, send), among: count, on: context)
        case .plain, .changed:
            after(.milliseconds(plan.delayMilliseconds), on: context) { [self] in perform(context, send) }
        }
    }

    private func reverse(
        _ response: FaultActions.DelayedResponse, among count: Int, on context: ChannelHandlerContext
    ) {
        faultActions.reversed.append(response)
        if faultActions.reversed.count >= count { return sendReversed(context) }
        let first = faultActions.reversed[0].stream
        after(reverseTimeout, on: context) { [self] in
            if faultActions.reversed.first?.stream == first { sendReversed(context) }
        }
    }

    private func sendReversed(_ context: ChannelHandlerContext) {
        let due = Array(faultActions.reversed.reversed())
        faultActions.reversed = []
        // They are sent later, because the burst with the last of them is still being judged.
        after(.zero, on: context) { [self] in
            perform(context) { for response in due { try response.send() } }
        }
    }

    // MARK: The connection

    /// Applies a fault to the whole connection.
    func apply(_ action: Fault.Action, on context: ChannelHandlerContext) {
        if isClosing { return }
        do {
            switch action {
            case .goAway(let goAway):
                try sendGoAway(goAway, refusing: nil)
                if goAway.form == .graceful { sendFinalGoAway(goAway, on: context) }
            case .settings(let settings): try http.update(settings: settings.map { ($0.id, $0.value) })
            case .frame(let frame): faultActions.append(frame.bytes(stream: max(1, http.lastStreamID)))
            case .pings(let count): for number in 0..<count { try http.ping(UInt64(number)) }
            case .ignorePings: http.answersPings = false
            case .close(let ending): return close(ending, on: context)
            case .freeze(let milliseconds): return freeze(milliseconds, on: context)
            case .slowRead(let rate): return readSlowly(rate, on: context)
            case .hello(let bytes): faultActions.hello = bytes
            // Faults of a request are in its plan; the TLS context is chosen when the connection is made.
            case .reset, .silence, .delay, .reverse, .split, .skew, .tls: break
            }
            flush(context)
        } catch {
            // Nothing is lost: HTTP/2 is at its end already.
            close(.fin, on: context)
        }
    }

    /// Sends GOAWAY. Its last stream is never below a request that was processed and waits for its answer.
    private func sendGoAway(_ goAway: Fault.GoAway, refusing stream: Int32?) throws(HTTP2Error) {
        var last = http.lastStreamID
        switch goAway.form {
        case .graceful: return try http.shutdownNotice()
        case .refusesNone: break
        case .refusesLater: if let stream { last = max(0, stream - 2) }
        case .refusesAll: last = 0
        }
        last = max(last, faultActions.lastPromised)
        for _ in 0..<goAway.count {
            try http.goAway(lastStreamID: last, code: goAway.code, debugData: goAway.debugData)
        }
        faultActions.lastStream = last
    }

    private func sendFinalGoAway(_ goAway: Fault.GoAway, on context: ChannelHandlerContext) {
        after(grace, on: context) { [self] in
            var last = goAway
            last.form = .refusesNone
            apply(.goAway(last), on: context)
        }
    }

    private func close(_ ending: Fault.Ending, on context: ChannelHandlerContext) {
        isClosing = true
        switch ending {
        case .polite: return flush(context)
        case .fin: break
        case .reset:
            let channel = context.channel as? any SocketOptionProvider
            _ = channel?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: nil)
    }

    private func freeze(_ milliseconds: Int64, on context: ChannelHandlerContext) {
        faultActions.isFrozen = true
        setReading(isAutomatic: false, context)
        after(.milliseconds(milliseconds), on: context) { [self] in close(.fin, on: context) }
    }

    /// Reads a tenth of the rate ten times a second. Further bytes wait, and until then the channel reads no more.
    private func readSlowly(_ rate: Int, on context: ChannelHandlerContext) {
        guard faultActions.reader == nil else { return }
        setReading(isAutomatic: false, context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let pause = TimeAmount.milliseconds(100)
        faultActions.reader = context.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { task in
            let (connection, context) = bound.value
            if connection.isClosing { return task.cancel() }
            if connection.faultActions.unread.readableBytes == 0 { return context.read() }
            connection.readUnread(upTo: max(1, rate / 10), context)
        }
    }

    private func readUnread(upTo count: Int, _ context: ChannelHandlerContext) {
        let count = min(count, faultActions.unread.readableBytes)
        guard let part = faultActions.unread.readSlice(length: count) else { return }
        receive(part, on: context)
        flush(context)
    }

    private func setReading(isAutomatic: Bool, _ context: ChannelHandlerContext) {
        context.channel.setOption(.autoRead, value: isAutomatic).whenFailure { _ in }
    }

    func endFaults(_ context: ChannelHandlerContext) {
        http.answersPings = true
        guard let reader = faultActions.reader else { return }
        reader.cancel()
        faultActions.reader = nil
        readUnread(upTo: .max, context)
        setReading(isAutomatic: true, context)
    }
}
