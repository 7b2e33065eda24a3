@testable import PopupScheduling
import Testing

/// The table of renderers: names, leases, and what each says of popups.
@Suite struct RendererTableTests {
    @Test func `a renderer is found by its name until it is removed`() {
        var table = Table()
        let renderer = table.add("left")
        #expect(table.find("left") == renderer)
        #expect(table.find("right") == nil)
        table.renderers.remove(renderer)
        #expect(table.find("left") == nil)
        #expect(table.broken == [])
    }

    @Test func `lease holders are found by the groups of their leases`() {
        var table = Table()
        let renderer = table.add("left")
        table.beginLease(of: renderer, for: "shop/*\n")
        table.beginLease(of: renderer, for: "shop/*\n")
        #expect(table.holder(of: "shop/till") == renderer)
        #expect(table.holder(of: "kiosk") == nil)
        #expect(table.broken == [])
        table.endLease(of: renderer, for: "shop/*\n")
        #expect(table.holder(of: "shop/till") == nil)
    }

    @Test func `a popup counts the reports of its renderers`() {
        var table = Table()
        var popup = RelationFields(of: PopupRecord.Index(number: 3))
        let (left, right) = (table.add("left"), table.add("right"))
        let (first, second) = (table.rendering(of: &popup, by: left), table.rendering(of: &popup, by: right))
        for rendering in [first, second] { table.renderers.setDisplayed(true, rendering, on: &popup) }
        table.renderers.setVisible(true, second, on: &popup)
        table.renderers.setVisible(true, second, on: &popup)
        table.renderers.setDisplayed(false, first, on: &popup)
        #expect([popup.renderingCount, popup.displays, popup.views, popup.dismissals] == [2, 1, 1, 0])
        #expect(table.renderings(of: popup) == [second, first])
        #expect(table.broken(renderingsOf: popup) == [])
    }

    @Test func `popups with dismissals are counted once each`() {
        var table = Table()
        var popup = RelationFields(of: PopupRecord.Index(number: 3))
        let (left, right) = (table.add("left"), table.add("right"))
        let renderings = [table.rendering(of: &popup, by: left), table.rendering(of: &popup, by: right)]
        for rendering in renderings { table.renderers.setDismissed(true, rendering, on: &popup) }
        #expect(table.popupsWithDismissals == 1)
        table.renderers.setDismissed(false, renderings[0], on: &popup)
        #expect(table.popupsWithDismissals == 1)
        table.renderers.setDismissed(false, renderings[1], on: &popup)
        #expect(table.popupsWithDismissals == 0)
    }

    @Test func `a removed rendering is removed from its popup and its renderer`() {
        var table = Table()
        var popup = RelationFields(of: PopupRecord.Index(number: 3))
        let renderer = table.add("left")
        let rendering = table.rendering(of: &popup, by: renderer)
        #expect(table.findRendering(of: popup, by: renderer) == rendering)
        table.renderers.removeRendering(rendering, of: &popup)
        #expect(table.findRendering(of: popup, by: renderer) == nil)
        #expect(popup.renderingCount == 0)
        #expect(table.broken == ["renderer left has nothing left"])
    }

    /// Renderers with the store of their names.
    private struct Table: ~Copyable {
        var renderers = RendererTable()
        var store = ByteStore(hashSeed: 5)

        mutating func add(_ name: String) -> RendererRecord.Index {
            let bytes = Array(name.utf8)
            return bytes.withUnsafeBytes {
                renderers.add(RendererRecord(name: store.store($0), nameHash: $0.hash(seed: 5), account: nil))
            }
        }

        mutating func rendering(of popup: inout RelationFields, by renderer: RendererRecord.Index) -> Rendering.Index {
            renderers.addRendering(of: &popup, by: renderer)
        }

        mutating func beginLease(of renderer: RendererRecord.Index, for patterns: String) {
            let bytes = Array(patterns.utf8)
            bytes.withUnsafeBytes { renderers.beginLease(of: renderer, for: $0) }
        }

        mutating func endLease(of renderer: RendererRecord.Index, for patterns: String) {
            let bytes = Array(patterns.utf8)
            bytes.withUnsafeBytes { renderers.endLease(of: renderer, for: $0) }
        }

        func find(_ name: String) -> RendererRecord.Index? {
            let bytes = Array(name.utf8)
            return bytes.withUnsafeBytes { renderers.find($0, hash: $0.hash(seed: 5), in: store) }
        }

        func holder(of group: String) -> RendererRecord.Index? {
            let bytes = Array(group.utf8)
            return bytes.withUnsafeBytes { renderers.firstLeaseHolder(ofGroup: $0) { _ in true } }
        }

        func findRendering(of popup: RelationFields, by renderer: RendererRecord.Index) -> Rendering.Index? {
            renderers.findRendering(of: popup, by: renderer)
        }

        func renderings(of popup: RelationFields) -> [Rendering.Index] { renderers.renderings(of: popup) }

        var popupsWithDismissals: Int { renderers.popupsWithDismissals }

        var broken: [String] { renderers.brokenInvariants(store) }

        func broken(renderingsOf popup: RelationFields) -> [String] { renderers.brokenInvariants(ofRenderings: popup) }
    }
}
