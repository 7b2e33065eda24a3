import PopupProtocol
import SwiftProtobuf
import Testing

/// A generated message, by its name in the schema.
struct GeneratedMessage: Sendable, CustomTestStringConvertible {
    let name: String
    /// The names of its fields.
    let fieldNames: Set<String>
    private let namesOfNumbers: @Sendable ([Int]) throws -> [String]

    private init<M: Message & _ProtoNameProviding>(_ type: M.Type) {
        name = String(M.protoMessageName.dropFirst("popup.v1.".count))
        fieldNames = Set(Google_Protobuf_FieldMask(allFieldsOf: type).paths)
        namesOfNumbers = { try Google_Protobuf_FieldMask(fieldNumbers: $0, of: type).paths }
    }

    /// The names of the fields with these numbers.
    func fieldNames(_ numbers: [Int]) throws -> [String] { try namesOfNumbers(numbers) }

    var testDescription: String { name }

    static let all: [GeneratedMessage] = [
        GeneratedMessage(WireCommand.self), GeneratedMessage(WireBatch.self), GeneratedMessage(WirePopup.self),
        GeneratedMessage(WireAction.self), GeneratedMessage(WirePresentation.self), GeneratedMessage(WireFlow.self),
        GeneratedMessage(WireRequirement.self), GeneratedMessage(WirePageBinding.self),
        GeneratedMessage(WireUpdate.self), GeneratedMessage(WireDismiss.self), GeneratedMessage(WireAdvance.self),
        GeneratedMessage(WireSelector.self), GeneratedMessage(WireClear.self), GeneratedMessage(WireSuspend.self),
        GeneratedMessage(WireResume.self), GeneratedMessage(WireSetPolicy.self), GeneratedMessage(WireCap.self),
        GeneratedMessage(WireQuietWindow.self), GeneratedMessage(WireSetSession.self),
        GeneratedMessage(WireReport.self), GeneratedMessage(WireAnswer.self), GeneratedMessage(WireLater.self),
        GeneratedMessage(WireLease.self), GeneratedMessage(WirePage.self), GeneratedMessage(WireOpenPage.self),
        GeneratedMessage(WirePageNode.self), GeneratedMessage(WireQuery.self), GeneratedMessage(WireListQuery.self),
        GeneratedMessage(WireCountQuery.self), GeneratedMessage(WirePeekQuery.self),
        GeneratedMessage(WireExplainQuery.self), GeneratedMessage(WirePathQuery.self),
        GeneratedMessage(WireGroupState.self), GeneratedMessage(WireCause.self), GeneratedMessage(WireFeed.self),
        GeneratedMessage(WireEvent.self), GeneratedMessage(WireShown.self), GeneratedMessage(WireClosed.self),
        GeneratedMessage(WireRefused.self), GeneratedMessage(WireHeartbeat.self),
        GeneratedMessage(WireGroupRevision.self),
        GeneratedMessage(WireAck.self), GeneratedMessage(WireRefusal.self), GeneratedMessage(WireSync.self),
        GeneratedMessage(WireHoldingRule.self),
        GeneratedMessage(WireSyncEnd.self), GeneratedMessage(WireReply.self), GeneratedMessage(WireResult.self),
        GeneratedMessage(WirePopupSummary.self), GeneratedMessage(WireListResult.self),
        GeneratedMessage(WireCountResult.self), GeneratedMessage(WirePeekResult.self),
        GeneratedMessage(WireExplainResult.self), GeneratedMessage(WirePathResult.self),
        GeneratedMessage(WireStatsResult.self), GeneratedMessage(WireCommandCount.self),
        GeneratedMessage(WireEventCount.self), GeneratedMessage(WireClosedCount.self),
        GeneratedMessage(WireRefusedCount.self), GeneratedMessage(WireHistogram.self),
        GeneratedMessage(WireHistogramBucket.self), GeneratedMessage(WireLimitUse.self),
        GeneratedMessage(WireTurnTimes.self),
        GeneratedMessage(WireDeniedCount.self), GeneratedMessage(WireWhoamiResult.self),
        GeneratedMessage(WireAccessGrant.self), GeneratedMessage(WireDeniedSubscription.self),
        GeneratedMessage(WireUnsetPolicy.self), GeneratedMessage(WirePoliciesQuery.self),
        GeneratedMessage(WireHistoryQuery.self), GeneratedMessage(WireHistoryResult.self),
        GeneratedMessage(WireClosedPopup.self), GeneratedMessage(WireGroupsQuery.self),
        GeneratedMessage(WireGroupsResult.self), GeneratedMessage(WireGroupCounts.self),
        GeneratedMessage(WireSuspensionsQuery.self), GeneratedMessage(WireSuspensionsResult.self),
        GeneratedMessage(WireSuspension.self), GeneratedMessage(WireRenderersQuery.self),
        GeneratedMessage(WireRenderersResult.self), GeneratedMessage(WireRenderer.self),
        GeneratedMessage(WireDisplayedPopup.self), GeneratedMessage(WireProducersQuery.self),
        GeneratedMessage(WireProducersResult.self), GeneratedMessage(WireProducerSequences.self),
        GeneratedMessage(WirePoliciesResult.self), GeneratedMessage(WirePolicyInForce.self),
    ]
}

/// A generated enum, by its name in the schema.
struct GeneratedEnum: Sendable, CustomTestStringConvertible {
    let name: String
    let rawValues: [Int]
    private let rawValueOfName: @Sendable (String) throws -> Int

    /// The enum of a message's field, which decodes its names.
    private init<M: Message, E: Enum & CaseIterable>(
        _ name: String, _ field: String, _ value: @escaping @Sendable (M) -> E
    ) {
        self.name = name
        rawValues = E.allCases.map(\.rawValue).sorted()
        rawValueOfName = { try value(M(jsonString: #"{"\#(field)":"\#($0)"}"#)).rawValue }
    }

    /// The value with this name.
    func rawValue(_ name: String) throws -> Int { try rawValueOfName(name) }

    var testDescription: String { name }

    static let all: [GeneratedEnum] = [
        GeneratedEnum("Popup.Exclusive", "exclusive") { (message: WirePopup) in message.exclusive },
        GeneratedEnum("Presentation.Scene", "scene") { (message: WirePresentation) in message.scene },
        GeneratedEnum("Presentation.Animation", "animation") { (message: WirePresentation) in message.animation },
        GeneratedEnum("PageBinding.Scope", "scope") { (message: WirePageBinding) in message.scope },
        GeneratedEnum("Preset.Name", "preset") { (message: WireSetPolicy) in message.preset },
        GeneratedEnum("Interruption.Kind", "higher") { (message: WireSetPolicy) in message.higher },
        GeneratedEnum("Resumption.Kind", "resume") { (message: WireSetPolicy) in message.resume },
        GeneratedEnum("DisplayClock.Kind", "clock") { (message: WireSetPolicy) in message.clock },
        GeneratedEnum("OfferDefault.Choice", "offerDefault") { (message: WireSetPolicy) in message.offerDefault },
        GeneratedEnum("Undisplayed.Choice", "undisplayed") { (message: WireSetPolicy) in message.undisplayed },
        GeneratedEnum("RendererLost.Choice", "rendererLost") { (message: WireSetPolicy) in message.rendererLost },
        GeneratedEnum("Overflow.Choice", "overflow") { (message: WireSetPolicy) in message.overflow },
        GeneratedEnum("Cause.Kind", "kind") { (message: WireCause) in message.kind },
        GeneratedEnum("Closed.Reason", "reason") { (message: WireClosed) in message.reason },
        GeneratedEnum("Refused.Reason", "reason") { (message: WireRefused) in message.reason },
        GeneratedEnum("Phase.Name", "phase") { (message: WirePopupSummary) in message.phase },
        GeneratedEnum("PolicySource.Name", "source") { (message: WirePolicyInForce) in message.source },
    ]
}
