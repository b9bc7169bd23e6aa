import CarillonCore
import CarillonWire

/// Messages (Protocol 10).
extension RequestRunner {
    /// Accepts a message (SEND that is not a dry run).
    func send(_ message: Message, for execution: Execution) {
        if let refusal = admission.contentRefusal(of: message.content) { return execution.complete(.failure(refusal)) }
        let sendAt = message.sendAt
        let line = audit.makeLine(of: message, by: execution.client)
        let app = message.content.app
        let lane = message.lane
        let change = Change.accept(message, sender: execution.principal.name, now: execution.now)
        submit(
            change, for: execution,
            applied: { [self] changeAnswer in
                guard case .accepted(let acceptance, let outbound) = changeAnswer else {
                    return execution.complete(.failure(.unexpectedAnswer))
                }
                if !acceptance.isDuplicate { metrics.acceptances.messageAccepted(of: app, in: lane) }
                if let outbound {
                    delivery.messageStored(outbound)
                } else if let sendAt {
                    delivery.scheduledMessageStored(dueAt: sendAt)
                }
                answerAfterCounting(acceptance, for: execution) { acceptance in
                    line?.write(acceptance)
                    return EncodedAnswer(acceptance, to: SendRequest.self)
                }
            })
    }

    /// Answers an accepted message. If its audience is not counted yet, a thread for long reads counts it first. The
    /// message is durable, and sending it may begin before it is counted.
    private func answerAfterCounting(
        _ acceptance: SendResult, for execution: Execution,
        _ makeAnswer: @escaping @Sendable (SendResult) -> EncodedAnswer
    ) {
        guard !acceptance.isCounted else { return execution.complete(.success(makeAnswer(acceptance))) }
        longReadThreads.submit(for: execution.principal.name) { [registry] isActive in
            guard isActive else { return execution.complete(.failure(.uncounted(RequestError(.closed)))) }
            do throws(RegistryError) {
                let devices = try registry.audienceCount(of: acceptance.id) ?? 0
                registry.submit(.setAudienceCount(acceptance.id, devices: devices), deadline: nil) { result in
                    switch result {
                    case .success(.audienceCounted(let devices)):
                        var acceptance = acceptance
                        acceptance.total = UInt32(clamping: devices)
                        acceptance.isCounted = true
                        execution.complete(.success(makeAnswer(acceptance)))
                    case .success: execution.complete(.failure(.uncounted(.unexpectedAnswer)))
                    case .failure(let error): execution.complete(.failure(.uncounted(RequestError(error))))
                    }
                }
            } catch {
                execution.complete(.failure(.uncounted(RequestError(error))))
            }
        }
    }

    /// Pauses, resumes or cancels a message, or changes its pace (UPDATE_MESSAGE).
    func updateMessage(_ update: UpdateMessageRequest, for execution: Execution) {
        let line = audit.makeLine(of: update, by: execution.client)
        submitAndAnswer(.updateMessage(update, now: execution.now), for: execution, missing: .noMessage) {
            [delivery] changeAnswer in
            guard case .messageUpdated(let state, let outbound) = changeAnswer else {
                return .failure(.unexpectedAnswer)
            }
            delivery.updateStored(update.messageUpdate, of: update.id, outbound: outbound)
            line?.write(update.id)
            return .success(EncodedAnswer(state, to: UpdateMessageRequest.self))
        }
    }

    /// Sends a finished message again, to the devices that it did not reach (RESEND).
    func resend(_ resend: ResendRequest, for execution: Execution) {
        let line = audit.makeLine(of: resend, by: execution.client)
        let change = Change.resend(resend, sender: execution.principal.name, now: execution.now)
        submitAndAnswer(change, for: execution, missing: .noMessage) { [delivery, metrics] changeAnswer in
            guard case .accepted(let acceptance, let outbound) = changeAnswer else {
                return .failure(.unexpectedAnswer)
            }
            if let outbound {
                metrics.acceptances.messageAccepted(of: resend.app, in: outbound.lane)
                delivery.messageStored(outbound)
            }
            line?.write(acceptance)
            return .success(EncodedAnswer(acceptance, to: ResendRequest.self))
        }
    }

    /// Counts what devices have reported to the service (RECEIPTS).
    func countReceipts(_ batch: ReceiptsRequest, for execution: Execution) {
        submitAndAnswer(.countReceipts(batch, now: execution.now), for: execution) { changeAnswer in
            guard case .receiptsCounted(let counted, let unknown) = changeAnswer else {
                return .failure(.unexpectedAnswer)
            }
            return .success(EncodedAnswer(ReceiptsAnswer(counted: counted, unknown: unknown), to: ReceiptsRequest.self))
        }
    }
}
