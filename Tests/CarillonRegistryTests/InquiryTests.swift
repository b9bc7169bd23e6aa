import CarillonCore
import CarillonRegistry
import Testing

/// Many inquiries on one snapshot.
struct InquiryTests {
    private let scratch = Scratch()

    /// What the registry answers, in order; `between` is called after each answer.
    private func answers(
        _ registry: LMDBRegistry, _ inquiries: [Inquiry], of app: AppID = game, between: () -> Void = {}
    ) -> [Result<InquiryAnswer?, RegistryError>] {
        var answers: [Result<InquiryAnswer?, RegistryError>] = []
        registry.inquire(inquiries, of: app) { index, answer in
            #expect(index == answers.count)
            answers.append(answer)
            between()
        }
        return answers
    }

    @Test func eachIsAnsweredInOrderWhateverItAsksFor() throws {
        let registry = try scratch.open()
        let other = try #require(AppID("com.example.other"))
        _ = try registry.apply([register(1), register(2), update(2, isMuted: true)])
        _ = try registry.apply(.accept(message(to: [token(1)]), now: time(1_000)))
        let status = try #require(try registry.status(of: MessageID(rawValue: 1), app: game))
        let (one, two) = (try registry.device(token(1), of: game), try registry.device(token(2), of: game))
        #expect((one?.isMuted, two?.isMuted) == (false, true))
        let inquiries: [Inquiry] = [
            .device(token(1)), .device(.id(id(2))), .status(MessageID(rawValue: 1)), .device(token(9)),
            .device(.id(id(9))), .status(MessageID(rawValue: 9)), .device(token(2)),
        ]
        // The first time nobody knows yet where the records are.
        for _ in 1...2 {
            #expect(
                answers(registry, inquiries) == [
                    .success(one.map(InquiryAnswer.device)), .success(two.map(InquiryAnswer.device)),
                    .success(.status(status)), .success(nil), .success(nil), .success(nil),
                    .success(two.map(InquiryAnswer.device)),
                ])
        }
        #expect(answers(registry, inquiries, of: other) == inquiries.map { _ in .success(nil) })
        _ = try registry.apply(.register(Registration(app: other, address: address(9)), now: time(1_000)))
        #expect(
            answers(registry, inquiries, of: other)[3]
                == .success(try registry.device(token(9), of: other).map(InquiryAnswer.device)))
        #expect(answers(registry, [], of: game).isEmpty)
    }

    @Test func allSeeTheStateOfTheFirst() throws {
        let registry = try scratch.open()
        _ = try registry.apply(register(1))
        let inquiry = Inquiry.device(token(1))
        let completions = Completions()
        let found = answers(registry, [inquiry, inquiry]) {
            registry.submit([unregister(1)], deadline: nil, completion: completions.completion())
            _ = completions.wait()
        }
        #expect(found.count == 2 && found[0] == found[1])
        #expect(answers(registry, [inquiry]) == [.success(nil)])
    }

    @Test func aClosedRegistryRefusesEachOfThem() throws {
        let registry = try scratch.open()
        registry.close()
        let inquiry = Inquiry.device(token(1))
        #expect(answers(registry, [inquiry, inquiry]) == [.failure(.closed), .failure(.closed)])
    }
}
